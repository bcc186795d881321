/* SPDX-License-Identifier: GPL-2.0-only */
/* The primary pairs of metric and statistic: the figures that a benchmark stands for. */
#ifndef REPORT_PRIMARY_H
#define REPORT_PRIMARY_H

#include <stdbool.h>

#include "dataset.h"

enum statistic { STAT_AVG, STAT_MAX, STAT_TOTAL, STATISTICS };

struct primary {
	const struct metric_info *metric;
	enum statistic statistic;
};

#define PRIMARY_MAX 8 /* pairs of one benchmark */

/* The pairs of a benchmark, in the order of its declaration. Returns how many, at most max. */
unsigned int primary_pairs(const struct dataset *d, const char *bench, struct primary *pairs,
			   unsigned int max);

/* Whether word is one of the words of a metric's primary list. */
bool primary_word(const char *list, const char *word);

const char *statistic_name(enum statistic s);

/* In the metric's unit. False when there are no samples: then there is no figure. */
bool statistic_of(const struct sb_stats *stats, enum statistic s, double *value);

/* The row of one boot, or NULL. */
const struct row *primary_row(const struct dataset *d, const char *kernel, const char *phase,
			      const struct metric_info *metric, uint64_t boot);

/*
 * The statistic in each boot of a kernel, in the metric's unit, as statistics over the boots
 * that have one. The figure of a kernel is their mean.
 */
struct sb_stats primary_boots(const struct dataset *d, const char *kernel, const char *phase,
			      const struct primary *pair);

#endif
