/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables for people: the published form, and aligned columns for everything else. */
#ifndef SB_TABLE_H
#define SB_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "stats.h"

/* One phase of a metric, wherever it comes from. */
struct sb_table_row {
	const char *phase, *metric, *unit;
	const struct sb_stats *stats;
	uint64_t errors;
	const double *p50, *p99; /* NULL = too few samples */
};

/*
 * Lines as they were published, in ms where the unit is us or ns:
 *     unused:   min=0.225 avg=13.991 max=853.100 var=858.700
 * under a first line that begins with title and names metric, unit and n.
 */
void sb_table_published(FILE *out, const char *title, const struct sb_table_row *rows,
			unsigned int count);

/*
 * us and ns are shown in ms, as they were published; other units stay. Returns the factor for
 * the values, and in shown the name of the unit they then have.
 */
double sb_table_published_unit(const char *unit, const char **shown);

/* One line per row, in the rows' own units. Nothing when count is 0. */
void sb_table_aligned(FILE *out, const struct sb_table_row *rows, unsigned int count);

#endif
