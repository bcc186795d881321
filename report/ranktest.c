// SPDX-License-Identifier: GPL-2.0-only
#include "ranktest.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BOOTS_MOST 1000

void rank_null_free(struct rank_null *null)
{
	free(null->cdf);
	*null = (struct rank_null){ 0 };
}

/*
 * Counts the orders of n and m values by U, value by value from the top: the last one is of x,
 * and then stands above m others, or of y (Mann and Whitney 1947, equation 8). Row by row in
 * place: ways[u] is for (i, j) once j values of y were let in.
 */
static int rank_null_set(struct rank_null *null, unsigned int n, unsigned int m)
{
	size_t width = (size_t)n * m + 1;
	double *ways, all = 0;

	if (null->n == n && null->m == m)
		return 0;
	rank_null_free(null);
	/* ways[i * width + u]: for i values of x and as many of y as were let in. */
	ways = calloc((n + 1) * width, sizeof(*ways));
	null->cdf = calloc(width, sizeof(*null->cdf));
	if (!ways || !null->cdf) {
		free(ways);
		rank_null_free(null);
		return -1;
	}
	for (unsigned int i = 0; i <= n; i++)
		ways[i * width] = 1;
	for (unsigned int j = 1; j <= m; j++)
		for (unsigned int i = 1; i <= n; i++)
			for (size_t u = (size_t)i * j; u >= j; u--)
				ways[i * width + u] += ways[(i - 1) * width + u - j];
	for (size_t u = 0; u < width; u++)
		all += ways[n * width + u];
	for (size_t u = 0; u < width; u++)
		null->cdf[u] = (u ? null->cdf[u - 1] : 0) + ways[n * width + u] / all;
	null->n = n;
	null->m = m;
	free(ways);
	return 0;
}

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
 * With ties: how many of the subsets of size n have each sum of doubled ranks. Sums are exact
 * in a double up to 2^53 subsets and good to 1e-15 beyond.
 */
static double tied_p(const struct value *v, unsigned int count, unsigned int n,
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

static double untied_p(struct rank_null *null, unsigned int n, unsigned int m,
		       unsigned int sum2)
{
	unsigned int u = (sum2 - n * (n + 1)) / 2, other = n * m - u;
	double p;

	if (rank_null_set(null, n, m))
		return NAN;
	p = 2 * null->cdf[u < other ? u : other];
	return p < 1 ? p : 1;
}

static double spread(unsigned int n, unsigned int m, double ties)
{
	double all = (double)n + m;

	return sqrt((double)n * m / 12 * (all + 1 - ties / (all * (all - 1))));
}

static double normal_p(unsigned int n, unsigned int m, unsigned int sum2, double ties)
{
	double off = fabs(sum2 / 2.0 - n * ((double)n + m + 1) / 2) - 0.5; /* continuity */

	return off > 0 ? 2 * gsl_cdf_ugaussian_Q(off / spread(n, m, ties)) : 1;
}

static double p_of_ranks(struct rank_null *null, struct value *v, unsigned int n,
			 unsigned int m)
{
	double ties = give_ranks(v, n + m);
	unsigned int sum2 = 0;

	if (v[0].value == v[n + m - 1].value)
		return 1;
	for (unsigned int i = 0; i < n + m; i++)
		if (v[i].first)
			sum2 += v[i].rank2;
	if (n + m > RANKTEST_EXACT)
		return normal_p(n, m, sum2, ties);
	return ties > 0 ? tied_p(v, n + m, n, sum2) : untied_p(null, n, m, sum2);
}

double ranktest_p(struct rank_null *null, const double *x, unsigned int n, const double *y,
		  unsigned int m)
{
	struct value *v = calloc((size_t)n + m, sizeof(*v));
	double p;

	if (!v)
		return NAN;
	for (unsigned int i = 0; i < n; i++)
		v[i] = (struct value){ .value = x[i], .first = true };
	for (unsigned int i = 0; i < m; i++)
		v[n + i] = (struct value){ .value = y[i] };
	p = p_of_ranks(null, v, n, m);
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

/* How many values of U at each end have, together, a probability of at most alpha; -1: none. */
static long extreme_values(struct rank_null *null, unsigned int n, unsigned int m, double alpha)
{
	long u = -1;

	if (n + m > RANKTEST_EXACT)
		return (long)floor((double)n * m / 2 -
				   gsl_cdf_ugaussian_Qinv(alpha / 2) * spread(n, m, 0));
	if (rank_null_set(null, n, m))
		return -1;
	while (2 * null->cdf[u + 1] <= alpha * (1 + 1e-9))
		u++;
	return u;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double ranktest_visible(struct rank_null *null, const double *x, unsigned int n,
			const double *y, unsigned int m, double alpha)
{
	long u = extreme_values(null, n, m, alpha);
	size_t pairs = (size_t)n * m;
	double *difference, off = 0, down, up;

	if (u < 0)
		return NAN;
	difference = calloc(pairs + 1, sizeof(*difference));
	if (!difference)
		return NAN;
	for (size_t i = 0; i < pairs; i++) {
		difference[i] = y[i % m] - x[i / m];
		off += difference[i] / (double)pairs;
	}
	qsort(difference, pairs, sizeof(*difference), ascending);
	/* U counts the pairs above: a shift that leaves u of them on the other side is seen. */
	down = off - difference[u];
	up = difference[pairs - 1 - (size_t)u] - off;
	free(difference);
	return down > up ? down : up;
}
