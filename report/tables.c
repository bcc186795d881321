// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/results.h"
#include "../core/table.h"
#include "readcsv.h"
#include "scaling.h"
#include "tables.h"

/* What the head of a kernel's tables says about where they come from. */
struct origin {
	char release[96], clock[16], accelerator[16];
};

static int on_fact(char **f, unsigned long line, void *data)
{
	struct origin *o = data;

	(void)line;
	if (!strcmp(f[0], "kernel_release"))
		snprintf(o->release, sizeof(o->release), "%s", f[1]);
	else if (!strcmp(f[0], "clock"))
		snprintf(o->clock, sizeof(o->clock), "%s", f[1]);
	else if (!strcmp(f[0], "accelerator"))
		snprintf(o->accelerator, sizeof(o->accelerator), "%s", f[1]);
	return 0;
}

/* From the environment of the first cell that has one. */
static int find_origin(const struct dataset *d, const char *kernel, const char *bench,
		       struct origin *o)
{
	static const char *const columns[] = { "key", "value", NULL };

	*o = (struct origin){ "unknown release", "unknown", "unknown" };
	for (unsigned int i = 0; i < d->cells; i++) {
		const struct cell *c = &d->cell[i];
		char *path;
		int ret;

		if (strcmp(c->kernel, kernel) || strcmp(c->bench, bench))
			continue;
		path = dataset_path(d, c->dir, "env.csv");
		if (!path)
			return -ENOMEM;
		ret = readcsv(path, columns, on_fact, o);
		free(path);
		if (ret != -ENOENT)
			return ret;
	}
	return 0;
}

static void cells_table(const struct dataset *d, FILE *out)
{
	fprintf(out, "cells:\n");
	for (unsigned int i = 0; i < d->cells; i++)
		fprintf(out, "    %-10s %s\n", d->cell[i].status, d->cell[i].dir);
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

/* Kernels and benchmarks in the order of the plan, each pair once. */
static int all_tables(const struct dataset *d, struct rows *rows, FILE *out)
{
	for (unsigned int i = 0; i < d->cells; i++) {
		const struct cell *c = &d->cell[i];
		struct origin o;
		unsigned int before = 0;
		int ret;

		while (before < i && (strcmp(d->cell[before].kernel, c->kernel) ||
				      strcmp(d->cell[before].bench, c->bench)))
			before++;
		if (before < i)
			continue;
		ret = find_origin(d, c->kernel, c->bench, &o);
		if (ret)
			return ret;
		bench_tables(d, c->kernel, c->bench, &o, rows, out);
	}
	return scaling_tables(d, out);
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
		cells_table(d, out);
		if ((ferror(out) | fclose(out)) && !ret)
			ret = sb_err(errno ? errno : EIO, "writing %s", path);
	}
	free(rows.row);
	free(rows.quantiles);
	free(path);
	return ret;
}
