// SPDX-License-Identifier: GPL-2.0-only
#include "interval.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

bool interval_half(const struct sb_stats *samples, double *half)
{
	double freedom = (double)samples->n - 1;

	*half = 0;
	if (samples->n < 2)
		return false;
	/* Variance of the sample, then of its mean: var / (n - 1). */
	*half = gsl_cdf_tdist_Pinv(0.975, freedom) * sqrt(sb_stats_var(samples) / freedom);
	return true;
}
