// SPDX-License-Identifier: GPL-2.0-only
#include "ranktest.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BOOTS_MOST 1000
#define HALVINGS 60 /* of an interval: to the last bit of a double, nearly */

struct value {
	double value;
	bool first;	    /* of the first sample */
	unsigned int rank2; /* twice the mid-rank: always whole */
};

static int by_value(const void *a, const void *b)
{
	double x = ((const struct value *)a)->value, y = ((const struct value *)b)->value;

	return x < y ? -1 : x > y;
}

/* Equal values share the mean of their ranks. Returns the tie term, the sum of t^3 - t. */
static double give_ranks(struct value *v, unsigned int count)
{
	double ties = 0;

	qsort(v, count, sizeof(*v), by_value);
	for (unsigned int i = 0, end; i < count; i = end) {
		double t;

		for (end = i + 1; end < count && v[end].value == v[i].value; end++)
			;
		/* Ranks i + 1 to end. */
		for (unsigned int k = i; k < end; k++)
			v[k].rank2 = i + 1 + end;
		t = end - i;
		ties += t * t * t - t;
	}
	return ties;
}

/*
 * How many of the subsets of size n have each sum of doubled ranks: the usual recurrence, one
 * value after the other. The sums are exact in a double up to 2^53 subsets and good to 1e-15
 * beyond.
 */
static double exact_p(const struct value *v, unsigned int count, unsigned int n,
		      unsigned int sum2)
{
	unsigned int most = count * (count + 1), width = most + 1;
	double *ways = calloc((size_t)(n + 1) * width, sizeof(*ways));
	double all = 0, extreme = 0, centre = (double)n * (count + 1);

	if (!ways)
		return NAN;
	ways[0] = 1;
	for (unsigned int i = 0; i < count; i++)
		for (unsigned int k = i + 1 < n ? i + 1 : n; k > 0; k--)
			for (unsigned int s = most; s >= v[i].rank2; s--)
				ways[(size_t)k * width + s] +=
					ways[(size_t)(k - 1) * width + s - v[i].rank2];
	for (unsigned int s = 0; s <= most; s++) {
		double w = ways[(size_t)n * width + s];

		all += w;
		if (fabs(s - centre) >= fabs(sum2 - centre))
			extreme += w;
	}
	free(ways);
	return extreme / all;
}

static double normal_p(unsigned int n, unsigned int m, unsigned int sum2, double ties)
{
	double all = (double)n + m;
	double variance = (double)n * m / 12 * (all + 1 - ties / (all * (all - 1)));
	double off = fabs(sum2 / 2.0 - n * (all + 1) / 2) - 0.5; /* continuity */

	if (variance <= 0 || off <= 0)
		return 1;
	return 2 * gsl_cdf_ugaussian_Q(off / sqrt(variance));
}

double ranktest_p(const double *x, unsigned int n, const double *y, unsigned int m)
{
	struct value *v = calloc((size_t)n + m, sizeof(*v));
	unsigned int sum2 = 0;
	double ties, p;

	if (!v)
		return NAN;
	for (unsigned int i = 0; i < n; i++)
		v[i] = (struct value){ .value = x[i], .first = true };
	for (unsigned int i = 0; i < m; i++)
		v[n + i] = (struct value){ .value = y[i] };
	ties = give_ranks(v, n + m);
	for (unsigned int i = 0; i < n + m; i++)
		if (v[i].first)
			sum2 += v[i].rank2;
	p = n + m <= RANKTEST_EXACT ? exact_p(v, n + m, n, sum2) : normal_p(n, m, sum2, ties);
	free(v);
	return p;
}

double ranktest_least_p(unsigned int n, unsigned int m)
{
	double p;

	if (!n || !m)
		return 1;
	p = 2 * exp(-gsl_sf_lnchoose(n + m, n));
	return p < 1 ? p : 1;
}

unsigned int ranktest_boots(double alpha)
{
	unsigned int boots = 1;

	/* The slack is for the rounding of the logarithms. */
	while (boots < BOOTS_MOST && ranktest_least_p(boots, boots) > alpha * (1 + 1e-9))
		boots++;
	return boots;
}

static double mean(const double *v, unsigned int count)
{
	double sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += v[i];
	return sum / count;
}

/* The smallest shift in one direction, found by halving: p falls as the samples part. */
static double visible_towards(const double *x, unsigned int n, double *y, unsigned int m,
			      const double *centred, double far, double alpha)
{
	double low = 0, high = 1;

	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;

		for (unsigned int k = 0; k < m; k++)
			y[k] = centred[k] + middle * far;
		if (ranktest_p(x, n, y, m) <= alpha)
			high = middle;
		else
			low = middle;
	}
	return high * fabs(far);
}

double ranktest_visible(const double *x, unsigned int n, const double *y, unsigned int m,
			double alpha)
{
	double *centred = calloc(2 * (size_t)m, sizeof(*centred)), *shifted = centred + m;
	double off = mean(y, m) - mean(x, n), low = x[0], high = x[0], far, up, down;

	if (!centred || ranktest_least_p(n, m) > alpha) {
		free(centred);
		return NAN;
	}
	for (unsigned int i = 0; i < m; i++)
		centred[i] = y[i] - off;
	for (unsigned int i = 0; i < n + m; i++) {
		double v = i < n ? x[i] : centred[i - n];

		low = v < low ? v : low;
		high = v > high ? v : high;
	}
	/* Twice the range and a little parts them whatever they are. */
	far = 2 * (high - low) + fabs(high) * 1e-9;
	up = visible_towards(x, n, shifted, m, centred, far, alpha);
	down = visible_towards(x, n, shifted, m, centred, -far, alpha);
	free(centred);
	return up > down ? up : down;
}
