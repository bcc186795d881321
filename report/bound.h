/* SPDX-License-Identifier: GPL-2.0-only */
/* One figure of a run on the good or on the bad side of a bound. */
#ifndef REPORT_BOUND_H
#define REPORT_BOUND_H

#include <stdbool.h>
#include <stdio.h>

#include "dataset.h"

struct bound {
	const char *bench, *phase, *metric, *statistic;
	const char *text; /* "1780", or "1780+2%" */
};

/* Reads "1780", "1780+2%", "1780-0.5%". Returns 0 or -EINVAL. */
int bound_parse(const char *text, double *value);

/*
 * Says on out what the figure is, the mean over the boots of the run's only kernel. *good is
 * whether it is on the side of the bound that the metric calls better, or on it.
 * Returns 0, or -errno after a message: no such figure, or a metric that has no better.
 */
int bound_check(const struct dataset *d, const struct bound *b, bool *good, FILE *out);

#endif
