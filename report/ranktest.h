/* SPDX-License-Identifier: GPL-2.0-only */
/* The Wilcoxon-Mann-Whitney rank test, exact for the few boots that there are. */
#ifndef REPORT_RANKTEST_H
#define REPORT_RANKTEST_H

/*
 * Two-sided p-value of "both samples come from one distribution". Exact, ties included (the
 * permutation distribution of the mid-ranks), up to RANKTEST_EXACT values in all; beyond that
 * the normal approximation with tie correction. n and m are at least 1.
 * Source: Lehmann, "Nonparametrics", sections 1.2 to 1.4. -ENOMEM as NAN.
 */
#define RANKTEST_EXACT 64
double ranktest_p(const double *x, unsigned int n, const double *y, unsigned int m);

/* The smallest p-value that samples of these sizes can have: both orders that separate them. */
double ranktest_least_p(unsigned int n, unsigned int m);

/* The smallest number of boots on each side with which a p-value of alpha can be reached. */
unsigned int ranktest_boots(double alpha);

/*
 * The smallest shift of y, as an absolute value and in either direction, that would have had a
 * p-value of at most alpha, were the two samples centred on one another. NAN when no shift
 * would have.
 */
double ranktest_visible(const double *x, unsigned int n, const double *y, unsigned int m,
			double alpha);

#endif
