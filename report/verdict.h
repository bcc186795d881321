/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Better, worse, or what else: the verdict on one figure. The boot is the unit of replication,
 * so a sample is one boot's figure, and what happened within a boot never makes a verdict.
 */
#ifndef REPORT_VERDICT_H
#define REPORT_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "ranktest.h"

enum verdict {
	VERDICT_SAME,
	VERDICT_BETTER,
	VERDICT_WORSE,
	VERDICT_CANNOT_SAY,
	VERDICT_CHANGED, /* of a metric that has no better */
	VERDICTS,
};

const char *verdict_name(enum verdict v);

#define VERDICT_ALPHA 0.02 /* where nobody asks for another */

/* The smallest effect that counts where nobody asks for another, as a share. */
double verdict_threshold(bool exact);

struct verdict_rules {
	bool exact;		/* virtual time: boots differ by their perturbation alone */
	double threshold;	/* smallest effect that counts, as a share */
	double alpha;		/* chance of any false alarm in a report */
	unsigned int gates;	/* rows of the report that alpha is shared by */
	uint64_t seed;		/* of the bootstrap */
	struct rank_null *null; /* remembered from row to row */
};

struct verdict_row {
	const double *base, *new; /* a figure per boot */
	unsigned int bases, news;
	int direction; /* -1 lower is better, 1 higher is better, 0 neither */
	/*
	 * Virtual time: how far perturbation is known to move the figure, as a share; NAN when
	 * it is not known. A smaller change never counts.
	 */
	double wobble;
	bool gates;

	/* Filled in by verdict_test(). */
	double base_mean, new_mean;
	bool relative; /* base_mean is not 0: change is a share, else it has no meaning */
	double change;
	bool interval; /* 95 %, of change */
	double low, high;
	double p;	/* NAN: no test was possible */
	double visible; /* smallest change that would have counted; NAN: none would have */

	/* Filled in by verdict_decide(). */
	double adjusted; /* p of a gating row, corrected for the others (Holm 1979); NAN as p */
	enum verdict verdict;
	unsigned int boots_needed; /* with VERDICT_CANNOT_SAY: on each side, at least */
};

/* Compares the figures. bases and news are at least 1. Returns 0 or -ENOMEM after a message. */
int verdict_test(struct verdict_row *row, const struct verdict_rules *rules);

/* Verdicts of all rows of a report, once each was tested. */
void verdict_decide(struct verdict_row **rows, unsigned int count,
		    const struct verdict_rules *rules);

#endif
