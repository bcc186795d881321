/* SPDX-License-Identifier: GPL-2.0-only */
/* One side of a comparison: the figures of a run folder, or of a bare results.csv. */
#ifndef REPORT_SIDE_H
#define REPORT_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "names.h"

/* One row of results.csv; the texts are numbers of the names that both sides share. */
struct record {
	uint32_t kernel, bench, phase, metric, unit, better;
	uint32_t boot;
	uint64_t text; /* the fields from boot on, hashed: equal rows have equal numbers */
	uint64_t n;
	double avg, max, p99; /* meaningless with n == 0; p99 is NAN where there is none */
};

/* What the figures of a kernel depend on: the interesting lines of env.csv and guest-env.csv.
 */
struct fact {
	uint32_t kernel, key, value;
};

/* Cells of a kernel that ended alike, and neither passed nor skipped; the first of them. */
struct lost_cells {
	uint32_t kernel, status, first;
	uint32_t count;
};

struct side {
	const char *path; /* as the user named it */
	bool bare;	  /* a file: the environment is unknown */
	struct names *names;
	struct record *record; /* sorted by name, then boot */
	uint32_t records, room;
	struct fact *fact;
	uint32_t facts;
	struct lost_cells *lost; /* their figures are in no record */
	uint32_t losts;
	uint32_t *kernel; /* in the order of the plan, or of appearance */
	uint32_t kernels;
	uint32_t last[6]; /* names of the row before: most rows repeat them */
	uint32_t reading; /* kernel whose environment is being read */
};

/*
 * Reads DIR/results.csv with the environment of its kernels, or a bare file. A run that was
 * interrupted, or a folder that is none, is refused. Returns 0 or -errno after a message.
 */
int side_read(struct side *s, const char *path, struct names *names);
void side_free(struct side *s);

/* The value of a fact, or NULL. */
const char *side_fact(const struct side *s, uint32_t kernel, const char *key);

/* Order of records: kernel is left out, so that two kernels' rows come in the same order. */
int side_by_key(const struct record *a, const struct record *b);

#endif
