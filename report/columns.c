// SPDX-License-Identifier: GPL-2.0-only
#include "columns.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "interval.h"
#include "origin.h"
#include "primary.h"
#include "published.h"

/* The columns of one benchmark. */
struct columns {
	const struct dataset *d;
	const char *bench;
	const char *kernel[COLUMNS_KERNELS];
	unsigned int kernels;
	struct primary pair[PRIMARY_MAX];
	unsigned int pairs;
	struct published_columns published;
};

/* A row of the table: a phase and a pair. */
struct line {
	const char *phase;
	const struct primary *pair;
	struct sb_stats
		boots[COLUMNS_KERNELS]; /* the statistic in each; the mean is the figure */
	const double *published[COLUMNS_KERNELS];
};

/* False unless the benchmark has rows of two or more kernels, and not too many. */
static bool find_kernels(struct columns *c)
{
	for (unsigned int g = 0; g < c->d->groups; g++) {
		const struct row *row = c->d->group[g]->first;
		unsigned int known = 0;

		if (strcmp(row->bench, c->bench))
			continue;
		while (known < c->kernels && strcmp(c->kernel[known], row->kernel))
			known++;
		if (known < c->kernels)
			continue;
		if (c->kernels == COLUMNS_KERNELS)
			return false;
		c->kernel[c->kernels++] = row->kernel;
	}
	return c->kernels > 1;
}

static void read_line(const struct columns *c, struct line *l)
{
	const struct metric_info *m = l->pair->metric;

	for (unsigned int k = 0; k < c->kernels; k++) {
		l->boots[k] = primary_boots(c->d, c->kernel[k], l->phase, l->pair);
		l->published[k] = published_column(&c->published, c->kernel[k], l->phase,
						   m->metric, m->unit);
	}
}

/* Calls each for every phase and pair that the first kernel has figures of. */
static int each_line(const struct columns *c,
		     int (*each)(const struct columns *c, const struct line *l, void *data),
		     void *data)
{
	int ret = 0;

	for (unsigned int g = 0; g < c->d->groups && !ret; g++) {
		const struct row *row = c->d->group[g]->first;

		if (strcmp(row->bench, c->bench) || strcmp(row->kernel, c->kernel[0]))
			continue;
		for (unsigned int p = 0; p < c->pairs && !ret; p++) {
			struct line l = { .phase = row->phase, .pair = &c->pair[p] };

			if (strcmp(c->pair[p].metric->metric, row->metric))
				continue;
			read_line(c, &l);
			if (l.boots[0].n)
				ret = each(c, &l, data);
		}
	}
	return ret;
}

static int columns_of(struct columns *c, const struct dataset *d, const char *bench)
{
	*c = (struct columns){ .d = d, .bench = bench };
	if (!find_kernels(c))
		return -ENOENT;
	c->pairs = primary_pairs(d, bench, c->pair, PRIMARY_MAX);
	return c->pairs ? published_columns(d, bench, &c->published) : -ENOENT;
}

/* 0 where there is none: callers look at boots[k].n first. */
static double figure_of(const struct line *l, unsigned int k)
{
	return l->boots[k].n ? sb_stats_avg(&l->boots[k]) : 0;
}

/* In percent of the first kernel. NAN when either is missing or the first is 0. */
static double percent(const struct line *l, unsigned int k)
{
	double first = figure_of(l, 0);

	return l->boots[k].n && first > 0 ? 100 * figure_of(l, k) / first : NAN;
}

static void figure_cell(FILE *out, bool known, double value, double share, bool first)
{
	char text[32] = "-", more[16] = "";

	if (known)
		snprintf(text, sizeof(text), "%.*f", fabs(value) < 1000 ? 3 : 0, value);
	if (known && !first && !isnan(share))
		snprintf(more, sizeof(more), "%+.2f %%", share - 100);
	fprintf(out, " %12s %9s", text, more);
}

struct sinks {
	FILE *out;
	struct sb_csv csv;
};

static void published_line(const struct columns *c, const struct line *l, FILE *out)
{
	fprintf(out, "    %-34s", "  published");
	for (unsigned int k = 0; k < c->kernels; k++)
		figure_cell(out, l->published[k], l->published[k] ? *l->published[k] : 0,
			    l->published[k] && l->published[0]
				    ? 100 * *l->published[k] / *l->published[0]
				    : NAN,
			    !k);
	fputc('\n', out);
}

static void csv_rows(const struct columns *c, const struct line *l, struct sb_csv *csv)
{
	for (unsigned int k = 0; k < c->kernels; k++) {
		sb_csv_text(csv, c->bench);
		sb_csv_text(csv, l->phase);
		sb_csv_text(csv, l->pair->metric->metric);
		sb_csv_text(csv, statistic_name(l->pair->statistic));
		sb_csv_text(csv, l->pair->metric->unit);
		sb_csv_text(csv, c->kernel[k]);
		sb_csv_u64(csv, l->boots[k].n);
		if (l->boots[k].n)
			sb_csv_double(csv, figure_of(l, k));
		else
			sb_csv_empty(csv);
		if (isnan(percent(l, k)))
			sb_csv_empty(csv);
		else
			sb_csv_double(csv, percent(l, k));
		if (l->published[k])
			sb_csv_double(csv, *l->published[k]);
		else
			sb_csv_empty(csv);
		sb_csv_end_row(csv);
	}
}

static int one_line(const struct columns *c, const struct line *l, void *data)
{
	struct sinks *sinks = data;
	bool any_published = false;
	char name[128];

	snprintf(name, sizeof(name), "%s %s %s, %s", l->phase, l->pair->metric->metric,
		 statistic_name(l->pair->statistic), l->pair->metric->unit);
	fprintf(sinks->out, "    %-34s", name);
	for (unsigned int k = 0; k < c->kernels; k++) {
		figure_cell(sinks->out, l->boots[k].n, figure_of(l, k), percent(l, k), !k);
		any_published = any_published || l->published[k];
	}
	fputc('\n', sinks->out);
	if (any_published)
		published_line(c, l, sinks->out);
	csv_rows(c, l, &sinks->csv);
	return 0;
}

static int head(const struct columns *c, FILE *out)
{
	struct origin o;
	int ret = origin_find(c->d, c->kernel[0], &o);

	if (ret)
		return ret;
	fprintf(out,
		"\n%s, kernels side by side, %s time, accelerator %s%s; differences from A:\n",
		c->bench, o.clock, o.accelerator,
		strcmp(o.clock, "virtual") ? "" : " (instructions, not hardware)");
	for (unsigned int k = 0; k < c->kernels; k++)
		fprintf(out, "    %c = %s\n", 'A' + (int)k, c->kernel[k]);
	fprintf(out, "    %-34s", "");
	for (unsigned int k = 0; k < c->kernels; k++)
		fprintf(out, " %12c %9s", 'A' + (int)k, "");
	fputc('\n', out);
	return 0;
}

static int bench_table(const struct columns *c, struct sinks *sinks)
{
	int ret = 0;

	if (!sinks->csv.file) {
		ret = dataset_create(c->d, "columns.csv", &sinks->csv);
		if (!ret)
			sb_csv_header(&sinks->csv, COLUMNS_HEADER);
	}
	ret = ret ? ret : head(c, sinks->out);
	return ret ? ret : each_line(c, one_line, sinks);
}

int columns_tables(const struct dataset *d, FILE *out)
{
	struct sinks sinks = { .out = out };
	int ret = 0, more;

	for (unsigned int m = 0; m < d->metrics && !ret; m++) {
		struct columns c;

		if (m && !strcmp(d->metric[m - 1].bench, d->metric[m].bench))
			continue;
		ret = columns_of(&c, d, d->metric[m].bench);
		if (!ret)
			ret = bench_table(&c, &sinks);
		else if (ret == -ENOENT)
			ret = 0;
	}
	more = sb_csv_close(&sinks.csv);
	return ret ? ret : more;
}

struct bars {
	columns_bar *bar;
	void *picture;
	unsigned int kernel, row;
};

static int one_bar(const struct columns *c, const struct line *l, void *data)
{
	struct bars *b = data;
	double share = percent(l, b->kernel), half;
	char label[160];

	interval_half(&l->boots[b->kernel], &half);

	snprintf(label, sizeof(label), "%s %s %s", l->phase, l->pair->metric->metric,
		 statistic_name(l->pair->statistic));
	if (!isnan(share) && strstr(l->pair->metric->plot, "bars"))
		b->bar(b->picture, c->kernel[b->kernel], b->row, label, share,
		       100 * half / figure_of(l, 0));
	b->row += strstr(l->pair->metric->plot, "bars") != NULL;
	return 0;
}

int columns_bars(const struct dataset *d, const char *bench, columns_bar *bar, void *picture)
{
	struct bars b = { .bar = bar, .picture = picture };
	struct columns c;
	int ret = columns_of(&c, d, bench);

	for (; b.kernel < c.kernels && !ret; b.kernel++) {
		b.row = 0;
		ret = each_line(&c, one_bar, &b);
	}
	return ret == -ENOENT ? 0 : ret;
}
