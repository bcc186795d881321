// SPDX-License-Identifier: GPL-2.0-only
#include "overhead.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double overhead_cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), ascending);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

int overhead_compare(const struct overhead *o, void *data)
{
	double ratio[OVERHEAD_ROUNDS / 2], bare[OVERHEAD_ROUNDS], benchmark[OVERHEAD_ROUNDS];

	for (unsigned int i = 0; i < OVERHEAD_ROUNDS; i++) {
		for (unsigned int turn = 0; turn < 2; turn++) {
			if ((i + turn) % 2)
				benchmark[i] = o->benchmark(data);
			else
				bare[i] = o->bare(data);
		}
		if (bare[i] <= 0 || benchmark[i] <= 0)
			return -EIO;
	}
	/* Whoever comes second may have it easier or harder: two rounds, one of each order. */
	for (unsigned int i = 0; i < OVERHEAD_ROUNDS / 2; i++)
		ratio[i] = sqrt(benchmark[2 * i] / bare[2 * i] * benchmark[2 * i + 1] /
				bare[2 * i + 1]);
	printf("%s, %d rounds of %u: bare %.0f/s, benchmark %.0f/s (CPU time), ratio %.3f (least %.2f)\n",
	       o->what, OVERHEAD_ROUNDS, o->each, median(bare, OVERHEAD_ROUNDS),
	       median(benchmark, OVERHEAD_ROUNDS), median(ratio, OVERHEAD_ROUNDS / 2),
	       o->least);
	return median(ratio, OVERHEAD_ROUNDS / 2) >= o->least ? 0 : -ERANGE;
}
