/* SPDX-License-Identifier: GPL-2.0-only */
/* Streaming n, min, avg, max and population variance; mergeable. */
#ifndef SB_STATS_H
#define SB_STATS_H

#include <stdint.h>

/*
 * All moments are kept relative to the first sample: samples that differ in their last digits
 * only (1e12 and 1e12 + 1) then lose nothing, since the differences are exact.
 */
struct sb_stats {
	uint64_t n;
	double min, max;
	double first; /* origin of mean */
	/* Wider than the samples: the rounding of each step stays below the last digit of the
	 * end. */
	long double mean; /* of the samples minus first */
	long double m2;	  /* sum of squared deviations from the mean */
};

#define SB_STATS_INIT ((struct sb_stats){ 0 })

/* Adds one sample. Values must be finite: the caller never times a failed call. */
void sb_stats_add(struct sb_stats *s, double value);

/* Adds all samples of other (Chan, Golub and LeVeque, "Updating formulae", 1979). */
void sb_stats_merge(struct sb_stats *s, const struct sb_stats *other);

/*
 * Rebuilds an accumulator from a row of results.csv. var is the population variance.
 * n = 0 gives an empty accumulator whatever the other values are.
 */
struct sb_stats sb_stats_from(uint64_t n, double min, double avg, double max, double var);

/* The following are meaningless, and must not be printed, when n is 0. */
double sb_stats_avg(const struct sb_stats *s);
double sb_stats_var(const struct sb_stats *s); /* population variance: divided by n */
double sb_stats_total(const struct sb_stats *s);

#endif
