/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernels of a run side by side: one column each, the published figures below. */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include <stdio.h>

#include "dataset.h"

#define COLUMNS_HEADER "bench,phase,metric,statistic,unit,kernel,boots,figure,percent,published"

/*
 * A table of the primary pairs of each benchmark that ran on two to COLUMNS_KERNELS kernels,
 * and columns.csv; nothing otherwise. Percentages are against the first kernel. Returns 0 or
 * -errno.
 */
#define COLUMNS_KERNELS 8
int columns_tables(const struct dataset *d, FILE *out);

/*
 * A figure's share of the first kernel's in percent, half the width of its 95 % confidence
 * interval over the boots in the same percent (0: one boot, no interval), and a label for the
 * row.
 */
typedef void columns_bar(void *picture, const char *kernel, unsigned int row, const char *label,
			 double percent, double half);

/* Calls bar for each figure of a benchmark's table, kernel by kernel. Returns 0 or -errno. */
int columns_bars(const struct dataset *d, const char *bench, columns_bar *bar, void *picture);

#endif
