// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "../core/stream.h"
#include "../core/table.h"
#include "columns.h"
#include "plotdata.h"
#include "readcsv.h"
#include "scaling.h"
#include "sweep.h"

#define POINTS_MAX 64

struct picture {
	struct dataset *d;
	const char *kind, *bench;
	FILE *out;
	char title[160]; /* of the open block; "" = none */
	bool any;
};

/* Text inside gnuplot's double quotes. */
static void block(struct picture *p, const char *title)
{
	if (!strcmp(p->title, title))
		return;
	fprintf(p->out, "%s\"", p->any ? "\n\n" : "");
	for (const char *c = title; *c; c++)
		fputc(*c == '"' || *c == '\\' || *c == '\n' ? '\'' : *c, p->out);
	fputs("\"\n", p->out);
	snprintf(p->title, sizeof(p->title), "%s", title);
	p->any = true;
}

static void point(struct picture *p, double x, double y)
{
	char a[SB_NUM_LEN], b[SB_NUM_LEN];

	fprintf(p->out, "%s %s\n", sb_num(a, x), sb_num(b, y));
}

static const struct metric_info *metric_of(const struct dataset *d, const char *bench,
					   const char *metric)
{
	for (unsigned int m = 0; m < d->metrics; m++)
		if (!strcmp(d->metric[m].bench, bench) && !strcmp(d->metric[m].metric, metric))
			return &d->metric[m];
	return NULL;
}

static bool drawn_as(const struct dataset *d, const char *bench, const char *metric,
		     const char *kind)
{
	const struct metric_info *m = metric_of(d, bench, metric);

	return m && strstr(m->plot, kind);
}

/* Pictures show what the tables show. */
static double shown(const char *unit, double value)
{
	const char *name;

	return value * sb_table_published_unit(unit, &name);
}

struct cumulative {
	struct picture *p;
	const char *unit;
	uint64_t seen, n;
};

static int cumulative_point(const struct sb_hist_bucket *b, void *data)
{
	struct cumulative *c = data;

	c->seen += b->count;
	point(c->p, shown(c->unit, b->high), 100 * (double)c->seen / (double)c->n);
	return 0;
}

/* The share of executions that took no longer than x ms. */
static int distribution(struct picture *p)
{
	for (unsigned int i = 0; i < p->d->groups; i++) {
		const struct group *g = p->d->group[i];
		struct cumulative c = { .p = p, .unit = g->first->unit, .n = g->hist.n };
		char title[160];

		if (strcmp(g->first->bench, p->bench) || !g->hist.n ||
		    !drawn_as(p->d, p->bench, g->first->metric, p->kind))
			continue;
		snprintf(title, sizeof(title), "%s %s %s (n=%" PRIu64 ")", g->first->kernel,
			 g->first->metric, g->first->phase, g->hist.n);
		block(p, title);
		sb_hist_each(&g->hist, cumulative_point, &c);
	}
	return 0;
}

/* Fields: kernel, phase, metric, start_us, length. */
static int on_event(char **f, unsigned long line, void *data)
{
	struct picture *p = data;
	double start, length;
	char title[160];

	if (!drawn_as(p->d, p->bench, f[2], p->kind))
		return 0;
	if (sb_parse_double(f[3], &start) || sb_parse_double(f[4], &length)) {
		sb_msg("line %lu: '%s' or '%s' is not a number", line, f[3], f[4]);
		return -EINVAL;
	}
	snprintf(title, sizeof(title), "%s %s %s", f[0], f[2], f[1]);
	block(p, title);
	point(p, start / 1000, shown(metric_of(p->d, p->bench, f[2])->unit, length));
	return 0;
}

/* When each sample began and how long it took, both in ms, in the first boot of each kernel. */
static int over_time(struct picture *p)
{
	static const char *const columns[] = { "kernel",   "phase",  "metric",
					       "start_us", "length", NULL };

	for (unsigned int i = 0; i < p->d->cells; i++) {
		const struct cell *c = &p->d->cell[i];
		char *path;
		int ret;

		if (strcmp(c->bench, p->bench) || c->boot != 1)
			continue;
		path = dataset_path(p->d, c->dir, "events.csv");
		if (!path)
			return -ENOMEM;
		ret = readcsv(path, columns, on_event, p);
		free(path);
		if (ret && ret != -ENOENT)
			return ret;
	}
	return 0;
}

static void scaling_column_points(struct picture *p, const struct scaling_curve *curve,
				  const struct primary *column)
{
	uint64_t n[POINTS_MAX];
	unsigned int points = scaling_points(p->d, curve, n, POINTS_MAX);
	char title[160];

	snprintf(title, sizeof(title), "%s %s %s %s", curve->kernel, column->metric->metric,
		 statistic_name(column->statistic), curve->phase);
	for (unsigned int i = 0; i < points; i++) {
		const struct group *g = scaling_at(p->d, curve, n[i], column->metric->metric);

		if (!g || !g->pooled.n)
			continue;
		block(p, title);
		point(p, (double)n[i], shown(column->metric->unit, g->pooled.max));
	}
}

static int scaling(struct picture *p)
{
	struct primary columns[PRIMARY_MAX];
	unsigned int width = scaling_columns(p->d, p->bench, columns, PRIMARY_MAX);
	struct scaling_curve *curves;
	int count = scaling_curves(p->d, &curves);

	for (int c = 0; c < count; c++)
		for (unsigned int i = 0; i < width && !strcmp(curves[c].bench, p->bench); i++)
			scaling_column_points(p, &curves[c], &columns[i]);
	free(curves);
	return count < 0 ? count : 0;
}

static void sweep_block(void *picture, const char *title)
{
	block(picture, title);
}

static void sweep_point(void *picture, double x, double y)
{
	point(picture, x, y);
}

static int sweep(struct picture *p)
{
	return sweep_plot(p->d, p->bench, sweep_block, sweep_point, p);
}

static void bar(void *picture, const char *kernel, unsigned int row, const char *label,
		double percent, double half)
{
	struct picture *p = picture;
	char y[SB_NUM_LEN], more[SB_NUM_LEN];

	block(p, kernel);
	fprintf(p->out, "%u %s %s \"%s\"\n", row, sb_num(y, percent), sb_num(more, half),
		label);
}

static int bars(struct picture *p)
{
	return columns_bars(p->d, p->bench, bar, p);
}

static const struct {
	const char *kind;
	int (*draw)(struct picture *p);
} kinds[] = {
	{ "distribution", distribution },
	{ "timeline", over_time },
	{ "latency", over_time },
	{ "series", over_time },
	{ "scaling", scaling },
	{ "sweep", sweep },
	{ "bars", bars },
};

/* A picture without data leaves no file behind: an earlier run's would be mistaken for it. */
static int write_picture(struct dataset *d, const char *bench, unsigned int kind)
{
	struct picture p = { .d = d, .kind = kinds[kind].kind, .bench = bench };
	char name[128], *path;
	int ret, more;

	snprintf(name, sizeof(name), "%s.%s.dat", p.kind, bench);
	path = dataset_path(d, "plots", name);
	if (!path)
		return -ENOMEM;
	p.out = fopen(path, "we");
	if (!p.out) {
		ret = sb_err(errno, "cannot write %s", path);
		free(path);
		return ret;
	}
	ret = kinds[kind].draw(&p);
	more = sb_close(p.out, path);
	ret = ret ? ret : more;
	if (!p.any)
		unlink(path);
	free(path);
	return ret;
}

static bool seen_before(const struct dataset *d, unsigned int metric)
{
	for (unsigned int m = 0; m < metric; m++)
		if (!strcmp(d->metric[m].bench, d->metric[metric].bench))
			return true;
	return false;
}

int plotdata_write(struct dataset *d)
{
	char *dir = dataset_path(d, NULL, "plots");
	int ret = 0;

	if (!dir)
		return -ENOMEM;
	if (mkdir(dir, 0777) && errno != EEXIST)
		ret = sb_err(errno, "cannot make %s", dir);
	free(dir);
	for (unsigned int m = 0; m < d->metrics && !ret; m++) {
		if (seen_before(d, m))
			continue;
		for (unsigned int k = 0; k < sizeof(kinds) / sizeof(kinds[0]) && !ret; k++)
			ret = write_picture(d, d->metric[m].bench, k);
	}
	return ret;
}
