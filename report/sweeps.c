// SPDX-License-Identifier: GPL-2.0-only
#include "sweeps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "../core/stream.h"
#include "point.h"
#include "readcsv.h"

#define CURVES_MOST 256
#define POINTS_MOST CURVE_POINTS

struct curve {
	char what[320]; /* benchmark, phase, metric, statistic and parameter: what it can stand
			 * beside */
	char label[256];
	char unit[16]; /* "" where only shares of the plateau are known */
	unsigned int points;
	double value[POINTS_MOST], figure[POINTS_MOST];
};

struct sweeps {
	struct curve curve[CURVES_MOST];
	unsigned int curves;
	/* Of the run being read; a folder's name where the run does not say its architecture.
	 */
	char machine[96], clock[32];
	bool published; /* read the published figures, which come last */
};

static struct curve *find(struct sweeps *s, const char *what, const char *label)
{
	struct curve *c;

	for (unsigned int i = 0; i < s->curves; i++)
		if (!strcmp(s->curve[i].what, what) && !strcmp(s->curve[i].label, label))
			return &s->curve[i];
	if (s->curves == CURVES_MOST) {
		sb_msg("more than %u curves", CURVES_MOST);
		return NULL;
	}
	c = &s->curve[s->curves++];
	*c = (struct curve){ .points = 0 };
	snprintf(c->what, sizeof(c->what), "%s", what);
	snprintf(c->label, sizeof(c->label), "%s", label);
	return c;
}

static double *at(struct curve *c, double value)
{
	for (unsigned int i = 0; i < c->points; i++)
		if (c->value[i] == value)
			return &c->figure[i];
	return NULL;
}

static int add(struct sweeps *s, const char *what, const char *label, const char *unit,
	       const char *value, const char *figure)
{
	struct curve *c = find(s, what, label);
	unsigned int i;
	double x, y;

	if (!c)
		return -E2BIG;
	if (sb_parse_double(value, &x) || sb_parse_double(figure, &y)) {
		sb_msg("sweep.csv: '%s' or '%s' is not a number", value, figure);
		return -EINVAL;
	}
	/* Each run has the published curve; it is the same one. So is a run named twice. */
	if (at(c, x))
		return 0;
	if (c->points == POINTS_MOST) {
		sb_msg("more than %u points in a curve", POINTS_MOST);
		return -E2BIG;
	}
	snprintf(c->unit, sizeof(c->unit), "%s", unit);
	/* In ascending order, whatever that of the rows: the last one is the plateau. */
	for (i = c->points++; i > 0 && c->value[i - 1] > x; i--) {
		c->value[i] = c->value[i - 1];
		c->figure[i] = c->figure[i - 1];
	}
	c->value[i] = x;
	c->figure[i] = y;
	return 0;
}

/* Fields: see read_run(). */
static int on_point(char **f, unsigned long line, void *data)
{
	struct sweeps *s = data;
	char what[320], label[256];

	(void)line;
	snprintf(what, sizeof(what), "%s %s: %s %s against %s", f[1], f[2], f[3], f[4], f[6]);
	snprintf(label, sizeof(label), "%s, %s%s", f[0], s->machine, s->clock);
	if (!s->published)
		return add(s, what, label, f[5], f[7], f[8]);
	return *f[9] ? add(s, what, "published", "", f[7], f[9]) : 0;
}

static int on_fact(char **f, unsigned long line, void *data)
{
	struct sweeps *s = data;

	(void)line;
	if (!strcmp(f[0], "arch"))
		snprintf(s->machine, sizeof(s->machine), "%s", f[1]);
	else if (!strcmp(f[0], "clock"))
		snprintf(s->clock, sizeof(s->clock), ", %s time", f[1]);
	return 0;
}

static int read_run(struct sweeps *s, const char *run)
{
	static const char *const facts[] = { "key", "value", NULL };
	static const char *const columns[] = { "kernel",    "bench",	 "phase",     "metric",
					       "statistic", "unit",	 "parameter", "value",
					       "figure",    "published", NULL };
	const char *slash = strrchr(run, '/');
	int ret;

	snprintf(s->machine, sizeof(s->machine), "%s", slash && slash[1] ? slash + 1 : run);
	s->clock[0] = '\0';
	ret = readcsv_at(facts, on_fact, s, "%s/run.csv", run);
	if (ret == -ENOENT)
		sb_msg("%s is not a run folder (no run.csv)", run);
	if (ret)
		return ret;
	ret = readcsv_at(columns, on_point, s, "%s/sweep.csv", run);
	if (ret == -ENOENT)
		sb_msg("%s: no sweep in it (no sweep.csv)", run);
	return ret;
}

/* ---- showing ---- */

static double plateau(const struct curve *c)
{
	return c->figure[c->points - 1];
}

/* For people: seconds, where the plateau has some. */
static double factor(const struct curve *c, const char **unit)
{
	*unit = c->unit;
	if (strcmp(c->unit, "us") || plateau(c) < 1e6)
		return 1;
	*unit = "s";
	return 1e-6;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* All settings of the curves that show @what, of which @value has room for; returns how many.
 */
static unsigned int settings(struct sweeps *s, const char *what, double *value)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < s->curves; i++)
		for (unsigned int p = 0; p < s->curve[i].points; p++) {
			bool seen = strcmp(s->curve[i].what, what) != 0;

			for (unsigned int k = 0; k < n; k++)
				seen = seen || value[k] == s->curve[i].value[p];
			if (!seen)
				value[n++] = s->curve[i].value[p];
		}
	qsort(value, n, sizeof(*value), ascending);
	return n;
}

static void cells(struct curve *c, double value)
{
	const double *figure = at(c, value);
	const char *unit;
	double by = factor(c, &unit);

	if (!figure)
		printf(*unit ? " %12s | %8s |" : "%.0s %8s |", "-", "-");
	else if (*unit)
		printf(" %12.3f | %8.3f |", *figure * by, *figure / plateau(c));
	else
		printf(" %8.3f |", *figure / plateau(c));
}

/* Of as many letters as it takes: A to Z, AA, AB, ... */
static const char *letters(char text[8], unsigned int column)
{
	char *at = text + 7;

	*at = '\0';
	for (unsigned int left = column + 1; left; left = (left - 1) / 26)
		*--at = (char)('A' + (left - 1) % 26);
	return at;
}

static void head(struct sweeps *s, const char *what)
{
	unsigned int column = 0;
	const char *unit;
	char text[8];

	printf("\n%s; x: divided by the plateau, the last point\n", what);
	for (unsigned int i = 0; i < s->curves; i++)
		if (!strcmp(s->curve[i].what, what))
			printf("    %s: %s\n", letters(text, column++), s->curve[i].label);
	printf("    | %8s |", "setting");
	column = 0;
	for (unsigned int i = 0; i < s->curves; i++) {
		if (strcmp(s->curve[i].what, what))
			continue;
		factor(&s->curve[i], &unit);
		if (*unit)
			printf(" %8s, %2.2s |", letters(text, column), unit);
		printf(" %5s, x |", letters(text, column++));
	}
	putchar('\n');
}

static int table(struct sweeps *s, const char *what)
{
	double *value = calloc((size_t)s->curves * POINTS_MOST, sizeof(*value));
	char text[SB_NUM_LEN];
	unsigned int n;

	if (!value)
		return sb_err(ENOMEM, "showing sweeps");
	n = settings(s, what, value);
	head(s, what);
	for (unsigned int k = 0; k < n; k++) {
		printf("    | %8s |", sb_num(text, value[k]));
		for (unsigned int i = 0; i < s->curves; i++)
			if (!strcmp(s->curve[i].what, what))
				cells(&s->curve[i], value[k]);
		putchar('\n');
	}
	free(value);
	return 0;
}

static int tables(struct sweeps *s)
{
	int ret = 0;

	for (unsigned int i = 0; i < s->curves && !ret; i++) {
		bool seen = false;

		for (unsigned int k = 0; k < i; k++)
			seen = seen || !strcmp(s->curve[k].what, s->curve[i].what);
		if (!seen)
			ret = table(s, s->curve[i].what);
	}
	return ret;
}

/* Of the first figure, that is what a picture shows: each curve is a block. */
static void data_blocks(const struct sweeps *s)
{
	char x[SB_NUM_LEN], y[SB_NUM_LEN];
	bool any = false;

	for (unsigned int i = 0; i < s->curves; i++) {
		const struct curve *c = &s->curve[i];

		if (plateau(c) <= 0 || strcmp(c->what, s->curve[0].what))
			continue;
		printf("%s\"%s\"\n", any ? "\n\n" : "", c->label);
		for (unsigned int p = 0; p < c->points; p++)
			printf("%s %s\n", sb_num(x, c->value[p]),
			       sb_num(y, c->figure[p] / plateau(c)));
		any = true;
	}
}

int sweeps_main(int argc, char **argv)
{
	struct sweeps *s = calloc(1, sizeof(*s));
	bool data = argc > 1 && !strcmp(argv[1], "--data");
	int ret = 0;

	if (!s) {
		sb_err(ENOMEM, "reading sweeps");
		return SB_EXIT_USAGE;
	}
	if (argc - data < 2) {
		sb_msg("sweeps takes RUN...");
		ret = -EINVAL;
	}
	for (int pass = 0; pass < 2 && !ret; pass++) {
		s->published = pass;
		for (int i = 1 + data; i < argc && !ret; i++)
			ret = read_run(s, argv[i]);
	}
	if (!ret && data)
		data_blocks(s);
	else if (!ret)
		ret = tables(s);
	free(s);
	if (ret)
		return SB_EXIT_USAGE;
	return sb_flush(stdout, "the curves") ? SB_EXIT_FAILED : SB_EXIT_OK;
}
