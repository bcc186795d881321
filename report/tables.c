// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/results.h"
#include "../core/stream.h"
#include "../core/table.h"
#include "columns.h"
#include "origin.h"
#include "readcsv.h"
#include "scaling.h"
#include "sweep.h"
#include "tables.h"

/* What the console scanner found in a guest, by kind. */
struct findings {
	unsigned int bad, expected, hogged;
	char first_bad[120];
};

static int on_finding(char **f, unsigned long line, void *data)
{
	struct findings *found = data;

	(void)line;
	if (!strcmp(f[0], "hogged")) {
		found->hogged++;
	} else if (!strcmp(f[0], "expected")) {
		found->expected++;
	} else {
		if (!found->bad++)
			snprintf(found->first_bad, sizeof(found->first_bad), "%s", f[1]);
	}
	return 0;
}

/* Findings stand beside the cell's status: a figure from a kernel that complained is no figure.
 */
static int cell_line(const struct dataset *d, const struct cell *c, FILE *out)
{
	static const char *const columns[] = { "kind", "text", NULL };
	struct findings found = { 0 };
	char *path = dataset_path(d, c->dir, "console.csv");
	int ret;

	if (!path)
		return -ENOMEM;
	ret = readcsv(path, columns, on_finding, &found);
	free(path);
	fprintf(out, "    %-11s %s%s", c->status, c->dir,
		c->passed || !strcmp(c->status, "skip") ? "" : ", left out of the tables");
	if (!ret)
		fprintf(out, ": console %u bad, %u expected, %u \"hogged CPU\"%s%s", found.bad,
			found.expected, found.hogged, found.bad ? "; first: " : "",
			found.first_bad);
	fputc('\n', out);
	return ret == -ENOENT ? 0 : ret;
}

static int cells_table(const struct dataset *d, FILE *out)
{
	int ret = 0;

	fprintf(out, "\ncells:\n");
	for (unsigned int i = 0; i < d->cells && !ret; i++)
		ret = cell_line(d, &d->cell[i], out);
	return ret;
}

struct rows {
	struct sb_table_row *row;
	struct sb_quantiles *quantiles;
	unsigned int count;
};

static void add_row(struct rows *rows, const struct group *g)
{
	struct sb_quantiles *q = &rows->quantiles[rows->count];

	sb_quantiles(&g->pooled, &g->hist, q);
	rows->row[rows->count++] = (struct sb_table_row){
		.phase = g->first->phase,
		.metric = g->first->metric,
		.unit = g->first->unit,
		.stats = &g->pooled,
		.errors = g->errors,
		.p50 = q->known[SB_P50] ? &q->value[SB_P50] : NULL,
		.p99 = q->known[SB_P99] ? &q->value[SB_P99] : NULL,
	};
}

static void collect_metric(const struct dataset *d, const char *kernel,
			   const struct metric_info *m, struct rows *rows)
{
	for (unsigned int g = 0; g < d->groups; g++) {
		const struct row *row = d->group[g]->first;

		if (!strcmp(row->kernel, kernel) && !strcmp(row->bench, m->bench) &&
		    !strcmp(row->metric, m->metric))
			add_row(rows, d->group[g]);
	}
}

static unsigned int boots_of(const struct dataset *d, const char *kernel, const char *bench)
{
	unsigned int most = 0;

	for (unsigned int g = 0; g < d->groups; g++)
		if (!strcmp(d->group[g]->first->kernel, kernel) &&
		    !strcmp(d->group[g]->first->bench, bench) && d->group[g]->boots > most)
			most = d->group[g]->boots;
	return most;
}

/* The first metric a benchmark declares is the published one; the rest follows below it. */
static void bench_tables(const struct dataset *d, const char *kernel, const char *bench,
			 const struct origin *o, struct rows *rows, FILE *out)
{
	bool first = true;
	char title[256];
	unsigned int boots = boots_of(d, kernel, bench);

	snprintf(title, sizeof(title), "%s, kernel %s (%s), %s time, accelerator %s, %u %s%s",
		 bench, kernel, o->release, o->clock, o->accelerator, boots,
		 strcmp(kernel, "host") ? "boot" : "run", boots == 1 ? "" : "s");
	rows->count = 0;
	for (unsigned int m = 0; m < d->metrics; m++) {
		if (strcmp(d->metric[m].bench, bench))
			continue;
		collect_metric(d, kernel, &d->metric[m], rows);
		if (first && rows->count) {
			fputc('\n', out);
			sb_table_published(out, title, rows->row, rows->count);
			rows->count = 0;
		}
		first = false;
	}
	sb_table_aligned(out, rows->row, rows->count);
}

static bool same_pair(const struct row *a, const struct row *b)
{
	return !strcmp(a->kernel, b->kernel) && !strcmp(a->bench, b->bench);
}

/* Kernels and benchmarks in the order of their rows, each pair once. */
static int all_tables(const struct dataset *d, struct rows *rows, FILE *out)
{
	int ret = 0;

	for (unsigned int i = 0; i < d->groups && !ret; i++) {
		const struct row *row = d->group[i]->first;
		unsigned int before = 0;
		struct origin o;

		while (before < i && !same_pair(d->group[before]->first, row))
			before++;
		if (before < i)
			continue;
		ret = origin_find(d, row->kernel, &o);
		if (!ret)
			bench_tables(d, row->kernel, row->bench, &o, rows, out);
	}
	if (!ret)
		ret = scaling_tables(d, out);
	if (!ret)
		ret = columns_tables(d, out);
	if (!ret)
		ret = sweep_tables(d, out);
	return ret ? ret : cells_table(d, out);
}

int tables_write(struct dataset *d)
{
	char *path = dataset_path(d, NULL, "tables.txt");
	FILE *out = path ? fopen(path, "we") : NULL;
	struct rows rows = {
		.row = calloc(d->groups + 1, sizeof(*rows.row)),
		.quantiles = calloc(d->groups + 1, sizeof(*rows.quantiles)),
	};
	int ret;

	if (!path || !rows.row || !rows.quantiles)
		ret = sb_err(ENOMEM, "writing tables");
	else if (!out)
		ret = sb_err(errno, "cannot write %s", path);
	else
		ret = all_tables(d, &rows, out);
	if (out) {
		int more = sb_close(out, path);

		ret = ret ? ret : more;
	}
	free(rows.row);
	free(rows.quantiles);
	free(path);
	return ret;
}
