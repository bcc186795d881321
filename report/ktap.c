// SPDX-License-Identifier: GPL-2.0-only
#include "ktap.h"

#include <string.h>

#include "../core/stream.h"
#include "cellfile.h"

/* A description ends at a number sign or a newline, and is printed as it stands otherwise. */
static void description(const char *text, FILE *out)
{
	for (; *text; text++)
		fputc(*text == '#' || (unsigned char)*text < ' ' ? '_' : *text, out);
}

static bool of_cell(const struct row *row, const struct cell *c)
{
	return row->boot == c->boot && !strcmp(row->kernel, c->kernel) &&
	       !strcmp(row->bench, c->bench);
}

/* The row that a phase of a cell appears in first stands for the phase. */
static bool begins_phase(const struct dataset *d, const struct cell *c, unsigned int at)
{
	if (!of_cell(d->row[at], c))
		return false;
	for (unsigned int i = 0; i < at; i++)
		if (of_cell(d->row[i], c) && !strcmp(d->row[i]->phase, d->row[at]->phase))
			return false;
	return true;
}

static void figures(const struct dataset *d, const struct cell *c, const char *phase, FILE *out)
{
	for (unsigned int i = 0; i < d->rows; i++) {
		const struct row *row = d->row[i];

		if (!of_cell(row, c) || strcmp(row->phase, phase) || !row->stats.n)
			continue;
		fprintf(out, "    # %s: n=%llu min=%.15g avg=%.15g max=%.15g unit=%s better=%s",
			row->metric, (unsigned long long)row->stats.n, row->stats.min,
			sb_stats_avg(&row->stats), row->stats.max, row->unit, row->better);
		if (row->errors)
			fprintf(out, " errors=%llu", (unsigned long long)row->errors);
		fputc('\n', out);
	}
}

static void phases(const struct dataset *d, const struct cell *c, FILE *out)
{
	unsigned int count = 0, number = 0;

	for (unsigned int i = 0; i < d->rows; i++)
		count += begins_phase(d, c, i);
	if (!count)
		return;
	fputs("    KTAP version 1\n    # Subtest: ", out);
	description(c->dir, out);
	fprintf(out, "\n    1..%u\n", count);
	for (unsigned int i = 0; i < d->rows; i++) {
		if (!begins_phase(d, c, i))
			continue;
		figures(d, c, d->row[i]->phase, out);
		fprintf(out, "    ok %u ", ++number);
		description(d->row[i]->phase, out);
		fputc('\n', out);
	}
}

/* Directives that ktap.rst knows; the status word follows, for there are more of ours. */
static const char *directive(const char *status)
{
	if (!strcmp(status, "skip"))
		return "SKIP";
	if (!strcmp(status, "timeout"))
		return "TIMEOUT";
	return "ERROR";
}

static int cell(const struct dataset *d, const struct cell *c, unsigned int number, FILE *out)
{
	bool passed = c->passed, skipped = !strcmp(c->status, "skip");
	char why[256];
	int ret = cellfile_reason(d, c, why, sizeof(why));

	if (ret)
		return ret;
	if (passed)
		phases(d, c, out);
	fprintf(out, "%s %u ", passed || skipped ? "ok" : "not ok", number);
	description(c->dir, out);
	if (!passed) {
		fprintf(out, " # %s %s%s", directive(c->status), c->status, why[0] ? ": " : "");
		description(why, out);
	}
	fputc('\n', out);
	return 0;
}

int ktap_print(const struct dataset *d, FILE *out)
{
	int ret = 0;

	fprintf(out, "KTAP version 1\n1..%u\n", d->cells);
	for (unsigned int i = 0; i < d->cells && !ret; i++)
		ret = cell(d, &d->cell[i], i + 1, out);
	return ret ? ret : sb_flush(out, "KTAP");
}
