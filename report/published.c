// SPDX-License-Identifier: GPL-2.0-only
#include "published.h"

#include <errno.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "readcsv.h"

static int read_reference(const struct dataset *d, const char *kind, const char *name,
			  const char *const *columns,
			  int (*row)(char **fields, unsigned long line, void *data), void *data)
{
	int ret;

	if (!d->reference)
		return 0;
	ret = readcsv_at(columns, row, data, "%s/%s.%s.csv", d->reference, kind, name);
	return ret == -ENOENT ? 0 : ret;
}

static int bad_row(unsigned long line)
{
	sb_msg("line %lu: not a row of published figures", line);
	return -EINVAL;
}

static int on_curve(char **f, unsigned long line, void *data)
{
	struct published_curve *c = data;

	if (c->points == PUBLISHED_MAX || sb_parse_double(f[0], &c->value[c->points]) ||
	    sb_parse_double(f[1], &c->figure[c->points]))
		return bad_row(line);
	c->points++;
	return 0;
}

int published_curve(const struct dataset *d, const struct metric_info *m, const char *parameter,
		    struct published_curve *c)
{
	static const char *const columns[] = { "value", "figure", NULL };
	const char *dot = strrchr(parameter, '.');
	char name[256];

	c->points = 0;
	snprintf(name, sizeof(name), "%s.%s.%s", m->bench, m->metric,
		 dot ? dot + 1 : parameter);
	return read_reference(d, "sweep", name, columns, on_curve, c);
}

const double *published_at(const struct published_curve *c, double value)
{
	for (unsigned int i = 0; i < c->points; i++)
		if (c->value[i] == value)
			return &c->figure[i];
	return NULL;
}

static int on_column(char **f, unsigned long line, void *data)
{
	struct published_columns *c = data;

	if (c->figures == PUBLISHED_MAX || sb_parse_double(f[4], &c->row[c->figures].figure))
		return bad_row(line);
	snprintf(c->row[c->figures].kernel, sizeof(c->row->kernel), "%s", f[0]);
	snprintf(c->row[c->figures].phase, sizeof(c->row->phase), "%s", f[1]);
	snprintf(c->row[c->figures].metric, sizeof(c->row->metric), "%s", f[2]);
	snprintf(c->row[c->figures].unit, sizeof(c->row->unit), "%s", f[3]);
	c->figures++;
	return 0;
}

int published_columns(const struct dataset *d, const char *bench, struct published_columns *c)
{
	static const char *const columns[] = { "kernel", "phase",  "metric",
					       "unit",	 "figure", NULL };

	c->figures = 0;
	return read_reference(d, "columns", bench, columns, on_column, c);
}

const double *published_column(const struct published_columns *c, const char *kernel,
			       const char *phase, const char *metric, const char *unit)
{
	for (unsigned int i = 0; i < c->figures; i++)
		if (!strcmp(c->row[i].kernel, kernel) && !strcmp(c->row[i].phase, phase) &&
		    !strcmp(c->row[i].metric, metric) && !strcmp(c->row[i].unit, unit))
			return &c->row[i].figure;
	return NULL;
}
