/* SPDX-License-Identifier: GPL-2.0-only */
/* Which pairs of metric and statistic gate, and what is known of them: metrics.csv of a run. */
#ifndef REPORT_COMPARE_GATES_H
#define REPORT_COMPARE_GATES_H

#include "compare.h"

struct gate {
	uint32_t bench, metric;
	bool statistic[COMPARE_STATISTICS];
	double wobble; /* a share; NAN: not known */
};

struct gates {
	struct names *names;
	struct gate *gate;
	uint32_t count;
	bool known; /* false: no run folder said, so the average of every directed metric gates
		     */
};

/* Reads metrics.csv of a run folder; a bare side has none. Returns 0 or -errno. */
int gates_read(struct gates *g, const struct side *s, struct names *names);
void gates_free(struct gates *g);

const struct gate *gates_find(const struct gates *g, uint32_t bench, uint32_t metric);

#endif
