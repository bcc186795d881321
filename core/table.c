// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "num.h"
#include "table.h"

#define METRIC_LEAST 10 /* tables of two benchmarks look alike where they can */

double sb_table_published_unit(const char *unit, const char **shown)
{
	*shown = "ms";
	if (!strcmp(unit, "us"))
		return 1e-3;
	if (!strcmp(unit, "ns"))
		return 1e-6;
	*shown = unit;
	return 1;
}

static int longest_metric(const struct sb_table_row *rows, unsigned int count)
{
	size_t longest = METRIC_LEAST;

	for (unsigned int i = 0; i < count; i++)
		if (strlen(rows[i].metric) > longest)
			longest = strlen(rows[i].metric);
	return (int)longest;
}

static int longest_phase(const struct sb_table_row *rows, unsigned int count)
{
	size_t longest = 0;

	for (unsigned int i = 0; i < count; i++)
		if (strlen(rows[i].phase) > longest)
			longest = strlen(rows[i].phase);
	return (int)longest;
}

static void published_row(FILE *out, const struct sb_table_row *row, int width, double factor)
{
	const struct sb_stats *s = row->stats;

	fprintf(out, "    %s:%*s", row->phase, width - (int)strlen(row->phase) + 1, "");
	if (!s->n)
		fputs("no samples", out);
	else /* the variance has the square of the unit */
		fprintf(out, "min=%.3f avg=%.3f max=%.3f var=%.3f", s->min * factor,
			sb_stats_avg(s) * factor, s->max * factor,
			sb_stats_var(s) * factor * factor);
	if (row->errors)
		fprintf(out, " errors=%" PRIu64, row->errors);
	fputc('\n', out);
}

void sb_table_published(FILE *out, const char *title, const struct sb_table_row *rows,
			unsigned int count)
{
	int width = longest_phase(rows, count);
	const char *unit;
	double factor;

	if (!count)
		return;
	factor = sb_table_published_unit(rows[0].unit, &unit);
	fprintf(out, "%s: %s in %s, n =", title, rows[0].metric, unit);
	for (unsigned int i = 0; i < count; i++)
		fprintf(out, "%s %" PRIu64, i ? "," : "", rows[i].stats->n);
	fputc('\n', out);
	for (unsigned int i = 0; i < count; i++)
		published_row(out, &rows[i], width, factor);
}

/* Three decimals for small values, none for large ones: columns stay narrow and readable. */
static void cell(FILE *out, const double *value)
{
	int decimals = 3;

	if (!value) {
		fprintf(out, " %12s", "-");
		return;
	}
	if (fabs(*value) >= 1e6 || *value == rint(*value))
		decimals = 0;
	else if (fabs(*value) >= 1000)
		decimals = 1;
	fprintf(out, " %12.*f", decimals, *value);
}

void sb_table_aligned(FILE *out, const struct sb_table_row *rows, unsigned int count)
{
	int width = longest_phase(rows, count), name = longest_metric(rows, count);

	if (!count)
		return;
	if (width < (int)strlen("phase"))
		width = (int)strlen("phase");
	fprintf(out, "    %-*s %-*s %5s %8s %7s %12s %12s %12s %12s %12s\n", name, "metric",
		width, "phase", "unit", "n", "errors", "min", "avg", "p50", "p99", "max");
	for (unsigned int i = 0; i < count; i++) {
		const struct sb_table_row *row = &rows[i];
		const struct sb_stats *s = row->stats;
		double avg = s->n ? sb_stats_avg(s) : 0;

		fprintf(out, "    %-*s %-*s %5s %8" PRIu64 " %7" PRIu64, name, row->metric,
			width, row->phase, row->unit, s->n, row->errors);
		cell(out, s->n ? &s->min : NULL);
		cell(out, s->n ? &avg : NULL);
		cell(out, row->p50);
		cell(out, row->p99);
		cell(out, s->n ? &s->max : NULL);
		fputc('\n', out);
	}
}
