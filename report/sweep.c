// SPDX-License-Identifier: GPL-2.0-only
#include "sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "knee.h"
#include "origin.h"
#include "point.h"
#include "primary.h"
#include "published.h"

#define SECONDS_FROM_US 1e6

/* One table: a curve, a phase and a primary pair. */
struct sweep {
	const struct dataset *d;
	const struct sweep_curve *curve;
	const struct primary *pair;
	const char *phase;
	struct published_curve published;
	struct knee_point point[CURVE_POINTS];
	double figure[CURVE_POINTS]; /* mean over boots; meaningless without boots */
	unsigned int boots[CURVE_POINTS];
	unsigned int knee;
};

static void read_point(struct sweep *s, unsigned int i)
{
	struct knee_point *p = &s->point[i];
	const char *kernel = s->curve->kernel[i];
	struct sb_stats boots;

	memset(p, 0, sizeof(*p));
	for (unsigned int c = 0; c < s->d->cells; c++) {
		const struct cell *cell = &s->d->cell[c];
		const struct row *row;

		if (strcmp(cell->kernel, kernel) ||
		    strcmp(cell->bench, s->pair->metric->bench) || !cell->boot ||
		    cell->boot > KNEE_BOOTS)
			continue;
		row = primary_row(s->d, kernel, s->phase, s->pair->metric, cell->boot);
		if (p->boots < cell->boot)
			p->boots = (unsigned int)cell->boot;
		p->known[cell->boot - 1] = row && statistic_of(&row->stats, s->pair->statistic,
							       &p->figure[cell->boot - 1]);
	}
	boots = primary_boots(s->d, kernel, s->phase, s->pair);
	s->boots[i] = (unsigned int)boots.n;
	s->figure[i] = boots.n ? sb_stats_avg(&boots) : 0;
}

/* False when a point has no figure at all: then there is no curve. */
static bool read_sweep(struct sweep *s)
{
	unsigned int n = s->curve->points;

	for (unsigned int i = 0; i < n; i++) {
		read_point(s, i);
		if (!s->boots[i])
			return false;
	}
	knee_costs(s->point, n, strcmp(s->pair->metric->better, "higher") != 0);
	s->knee = knee_find(s->point, n);
	return true;
}

/* The published figures' cost against their own plateau, their last point. */
static const double *published_cost(const struct sweep *s, unsigned int i, double *cost)
{
	const double *figure = published_at(&s->published, s->curve->value[i]);

	if (!figure || !s->published.points)
		return NULL;
	*cost = knee_cost(*figure, s->published.figure[s->published.points - 1],
			  strcmp(s->pair->metric->better, "higher") != 0);
	return cost;
}

static void rule(FILE *out, const int *width, unsigned int columns)
{
	fputs("    ", out);
	for (unsigned int c = 0; c < columns; c++) {
		fputc('+', out);
		for (int i = 0; i < width[c] + 2; i++)
			fputc('-', out);
	}
	fputs("+\n", out);
}

static void line(FILE *out, const int *width, unsigned int columns, const char *const *text)
{
	fputs("    ", out);
	for (unsigned int c = 0; c < columns; c++)
		fprintf(out, "| %*s ", width[c], text[c]);
	fputs("|\n", out);
}

/*
 * For people: what the metric's unit is multiplied by. A curve of seconds in us, as CSV files
 * have it, would be hard to hold against a published one in s.
 */
static double shown_unit(const struct sweep *s, const char **unit)
{
	*unit = s->pair->metric->unit;
	if (strcmp(*unit, "us") || s->figure[s->curve->points - 1] < SECONDS_FROM_US)
		return 1;
	*unit = "s";
	return 1e-6;
}

static void percent(char *text, size_t size, double share)
{
	snprintf(text, size, "%+.1f %%", share * 100);
}

static void point_line(const struct sweep *s, unsigned int i, const int *width,
		       unsigned int columns, double factor, FILE *out)
{
	const struct knee_point *p = &s->point[i];
	char value[SB_NUM_LEN], figure[32], cost[32] = "-", interval[48] = "-",
					    published[32] = "-";
	double share;

	snprintf(figure, sizeof(figure), "%.3f", s->figure[i] * factor);
	if (i == s->curve->points - 1)
		snprintf(cost, sizeof(cost), "plateau");
	else if (p->pairs)
		percent(cost, sizeof(cost), p->cost);
	if (p->interval && i != s->curve->points - 1)
		snprintf(interval, sizeof(interval), "%+.1f to %+.1f %%", p->low * 100,
			 p->high * 100);
	if (published_cost(s, i, &share))
		percent(published, sizeof(published), share);
	line(out, width, columns,
	     (const char *const[]){ sb_num(value, s->curve->value[i]), figure, cost, interval,
				    published });
}

static void knee_line(const struct sweep *s, FILE *out)
{
	const struct knee_point *p = &s->point[s->knee];
	char value[SB_NUM_LEN];

	fprintf(out,
		"    Knee: %s, the smallest setting from which on none costs more than %.0f %%.\n",
		sb_num(value, s->curve->value[s->knee]), KNEE_WITHIN * 100);
	if (s->knee == s->curve->points - 1)
		fputs("    It is the last setting: whether that is the plateau is not seen.\n",
		      out);
	else if (!p->interval)
		fputs("    From one boot, so without an interval (-n 8).\n", out);
	else
		fprintf(out,
			"    It costs %.2f %% against the plateau (95 %% interval %.2f to %.2f %%, %u "
			"boots)%s.\n",
			p->cost * 100, p->low * 100, p->high * 100, p->pairs,
			p->high > KNEE_WITHIN ? "; more boots would tell" : "");
}

static void table(const struct sweep *s, const struct origin *o, FILE *out)
{
	const struct metric_info *m = s->pair->metric;
	int width[] = { (int)strlen(s->curve->axis), 12, 10, 18, 10 };
	unsigned int columns = s->published.points ? 5 : 4;
	const char *unit;
	double factor = shown_unit(s, &unit);
	char head[32];

	snprintf(head, sizeof(head), "%.8s, %s", statistic_name(s->pair->statistic), unit);
	fprintf(out, "\n%s %s on %s: %s %s in %s, %s time, accelerator %s, %u boot%s a point\n",
		m->bench, s->phase, s->curve->others, m->metric,
		statistic_name(s->pair->statistic), unit, o->clock, o->accelerator, s->boots[0],
		s->boots[0] == 1 ? "" : "s");
	rule(out, width, columns);
	line(out, width, columns,
	     (const char *const[]){ s->curve->axis, head, "cost", "95 % interval",
				    "published" });
	rule(out, width, columns);
	for (unsigned int i = 0; i < s->curve->points; i++)
		point_line(s, i, width, columns, factor, out);
	rule(out, width, columns);
	knee_line(s, out);
}

static void optional(struct sb_csv *csv, bool known, double value)
{
	if (known)
		sb_csv_double(csv, value);
	else
		sb_csv_empty(csv);
}

static void csv_rows(const struct sweep *s, struct sb_csv *csv)
{
	const struct metric_info *m = s->pair->metric;

	for (unsigned int i = 0; i < s->curve->points; i++) {
		const struct knee_point *p = &s->point[i];
		const double *published = published_at(&s->published, s->curve->value[i]);

		sb_csv_text(csv, s->curve->others);
		sb_csv_text(csv, m->bench);
		sb_csv_text(csv, s->phase);
		sb_csv_text(csv, m->metric);
		sb_csv_text(csv, statistic_name(s->pair->statistic));
		sb_csv_text(csv, m->unit);
		sb_csv_text(csv, s->curve->axis);
		sb_csv_double(csv, s->curve->value[i]);
		sb_csv_u64(csv, s->boots[i]);
		sb_csv_double(csv, s->figure[i]);
		optional(csv, p->pairs, p->cost * 100);
		optional(csv, p->interval, p->low * 100);
		optional(csv, p->interval, p->high * 100);
		optional(csv, published, published ? *published : 0);
		sb_csv_text(csv, i == s->knee ? "yes" : "no");
		sb_csv_end_row(csv);
	}
}

/* Calls each for every curve, phase and primary pair of the run that has figures. */
static int each_sweep(const struct dataset *d, int (*each)(struct sweep *s, void *data),
		      void *data)
{
	struct sweep s = { .d = d };
	struct sweep_curve *curves;
	int count = sweep_curves(d, &curves), ret = count < 0 ? count : 0;

	for (int c = 0; c < count; c++) {
		s.curve = &curves[c];
		for (unsigned int g = 0; g < d->groups && !ret; g++) {
			const struct row *row = d->group[g]->first;
			struct primary pairs[PRIMARY_MAX];
			unsigned int n = primary_pairs(d, row->bench, pairs, PRIMARY_MAX);

			if (strcmp(row->kernel, s.curve->kernel[0]))
				continue;
			s.phase = row->phase;
			for (unsigned int i = 0; i < n && !ret; i++) {
				s.pair = &pairs[i];
				if (strcmp(s.pair->metric->metric, row->metric) ||
				    !read_sweep(&s))
					continue;
				ret = published_curve(d, s.pair->metric, s.curve->axis,
						      &s.published);
				ret = ret ? ret : each(&s, data);
			}
		}
	}
	free(curves);
	return ret;
}

struct sinks {
	FILE *out;
	struct sb_csv csv;
};

static int one_table(struct sweep *s, void *data)
{
	struct sinks *sinks = data;
	struct origin o;
	int ret = origin_find(s->d, s->curve->kernel[0], &o);

	if (ret)
		return ret;
	if (!sinks->csv.file) {
		ret = dataset_create(s->d, "sweep.csv", &sinks->csv);
		if (ret)
			return ret;
		sb_csv_header(&sinks->csv, SWEEP_HEADER);
	}
	table(s, &o, sinks->out);
	csv_rows(s, &sinks->csv);
	return 0;
}

int sweep_tables(const struct dataset *d, FILE *out)
{
	struct sinks sinks = { .out = out };
	int ret = each_sweep(d, one_table, &sinks), more = sb_csv_close(&sinks.csv);

	return ret ? ret : more;
}

struct drawing {
	const char *bench;
	void (*block)(void *picture, const char *title);
	void (*point)(void *picture, double x, double y);
	void *picture;
	unsigned int published; /* drawn once, however many curves it stands beside */
};

static void draw(struct drawing *w, const char *title, const double *x, const double *y,
		 unsigned int points)
{
	w->block(w->picture, title);
	for (unsigned int i = 0; i < points; i++)
		w->point(w->picture, x[i], y[i] / y[points - 1]);
}

static int one_curve(struct sweep *s, void *data)
{
	struct drawing *w = data;
	char title[512];

	if (strcmp(s->pair->metric->bench, w->bench) ||
	    !strstr(s->pair->metric->plot, "sweep") || s->figure[s->curve->points - 1] <= 0)
		return 0;
	snprintf(title, sizeof(title), "%s %s %s %s", s->curve->others, s->phase,
		 s->pair->metric->metric, statistic_name(s->pair->statistic));
	draw(w, title, s->curve->value, s->figure, s->curve->points);
	if (s->published.points && !w->published++)
		draw(w, "published", s->published.value, s->published.figure,
		     s->published.points);
	return 0;
}

int sweep_plot(const struct dataset *d, const char *bench,
	       void (*block)(void *picture, const char *title),
	       void (*point)(void *picture, double x, double y), void *picture)
{
	struct drawing w = { bench, block, point, picture, 0 };

	return each_sweep(d, one_curve, &w);
}
