/* SPDX-License-Identifier: GPL-2.0-only */
/* The published form, for people: "unused:   min=0.225 avg=13.991 max=853.100 var=858.700". */
#ifndef SB_TABLE_H
#define SB_TABLE_H

#include <stdio.h>

#include "stats.h"

/*
 * A time unit's name and size for tables: us and ns are shown in ms (as published), other
 * units as they are. Returns the factor to multiply values with.
 */
double sb_table_unit(const char *unit, const char **shown);

/* One line; width is that of the longest label with its colon. n = 0 prints "no samples". */
void sb_table_line(FILE *out, const char *label, int width, const struct sb_stats *stats,
		   double factor);

#endif
