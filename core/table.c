// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "table.h"

double sb_table_unit(const char *unit, const char **shown)
{
	*shown = "ms";
	if (!strcmp(unit, "us"))
		return 1e-3;
	if (!strcmp(unit, "ns"))
		return 1e-6;
	*shown = unit;
	return 1;
}

void sb_table_line(FILE *out, const char *label, int width, const struct sb_stats *stats,
		   double factor)
{
	int pad = width - (int)strlen(label) - 1;

	fprintf(out, "    %s:%*s ", label, pad > 0 ? pad : 0, "");
	if (!stats->n) {
		fputs("no samples\n", out);
		return;
	}
	/* The variance has the square of the unit. */
	fprintf(out, "min=%.3f avg=%.3f max=%.3f var=%.3f\n", stats->min * factor,
		sb_stats_avg(stats) * factor, stats->max * factor,
		sb_stats_var(stats) * factor * factor);
}
