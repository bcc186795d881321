/* SPDX-License-Identifier: GPL-2.0-only */
/* The Wilcoxon-Mann-Whitney rank test, exact for the few boots that there are. */
#ifndef REPORT_RANKTEST_H
#define REPORT_RANKTEST_H

/* Up to so many values in all the test is exact; beyond, the normal approximation. */
#define RANKTEST_EXACT 64

/*
 * The distribution of the statistic U under "both samples come from one distribution", without
 * ties, for the sizes last asked for: reports have the same sizes row after row.
 */
struct rank_null {
	unsigned int n, m;
	double *cdf; /* P(U <= u) for u = 0 to n * m */
};

void rank_null_free(struct rank_null *null);

/*
 * Two-sided p-value. Exact, ties included (the permutation distribution of the mid-ranks), or
 * the normal approximation with tie correction. n and m are at least 1. NAN: memory is out.
 * Source: Lehmann, "Nonparametrics", sections 1.2 to 1.4.
 */
double ranktest_p(struct rank_null *null, const double *x, unsigned int n, const double *y,
		  unsigned int m);

/* The smallest p-value that samples of these sizes can have: both orders that separate them. */
double ranktest_least_p(unsigned int n, unsigned int m);

/* The smallest number of boots on each side with which a p-value of alpha can be reached. */
unsigned int ranktest_boots(double alpha);

/*
 * The smallest shift of y, as an absolute value and in either direction, that would have had a
 * p-value of at most alpha, were the two samples centred on one another: the larger half of the
 * test's own confidence interval for a shift (Hodges and Lehmann 1963). NAN when no shift
 * would.
 */
double ranktest_visible(struct rank_null *null, const double *x, unsigned int n,
			const double *y, unsigned int m, double alpha);

#endif
