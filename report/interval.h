/* SPDX-License-Identifier: GPL-2.0-only */
/* How well a mean over boots is known. */
#ifndef REPORT_INTERVAL_H
#define REPORT_INTERVAL_H

#include <stdbool.h>

#include "../core/stats.h"

/*
 * Half the width of the 95 % confidence interval of a mean, in the unit of the samples:
 * Student's t with n - 1 degrees of freedom. False, and *half 0, with fewer than two samples.
 */
bool interval_half(const struct sb_stats *samples, double *half);

#endif
