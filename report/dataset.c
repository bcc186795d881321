// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "cellstatus.h"
#include "dataset.h"
#include "readcsv.h"

/* Appends one zeroed element to an array that is counted in *count. */
static void *grow(void **array, unsigned int *count, size_t size)
{
	char *grown = reallocarray(*array, *count + 1, size);

	if (!grown) {
		sb_err(ENOMEM, "reading results");
		return NULL;
	}
	*array = grown;
	return memset(grown + (*count)++ * size, 0, size);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

const char *dataset_intern(struct dataset *d, const char *text)
{
	char *copy = strdup(text);
	char **found = copy ? tsearch(copy, &d->strings, by_text) : NULL;

	if (!found || *found != copy)
		free(copy);
	return found ? *found : NULL;
}

/* Fills in COUNT texts, each through its pointer. Returns 0, or -ENOMEM after a message. */
static int intern_all(struct dataset *d, char **f, const char **const *to, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		*to[i] = dataset_intern(d, f[i]);
		if (!*to[i])
			return sb_err(ENOMEM, "reading results");
	}
	return 0;
}

char *dataset_path(const struct dataset *d, const char *below, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s%s%s", d->dir, below ? below : "", below ? "/" : "", name) <
	    0) {
		sb_err(ENOMEM, "a path in %s", d->dir);
		return NULL;
	}
	return path;
}

int dataset_create(const struct dataset *d, const char *name, struct sb_csv *out)
{
	char *path = dataset_path(d, NULL, name);
	int ret;

	if (!path)
		return -ENOMEM;
	ret = sb_csv_open(out, path);
	free(path);
	return ret;
}

/* Reads one file of the run folder; a missing one is an error only where it is required. */
static int read_file(struct dataset *d, const char *below, const char *name, bool required,
		     const char *const *columns,
		     int (*row)(char **fields, unsigned long line, void *data))
{
	char *path = dataset_path(d, below, name);
	int ret;

	if (!path)
		return -ENOMEM;
	ret = readcsv(path, columns, row, d);
	if (ret == -ENOENT && required)
		sb_msg("%s is missing: not a run folder, or not a finished one", path);
	if (ret == -ENOENT && !required)
		ret = 0;
	free(path);
	return ret;
}

static int number(const char *text, double *value, const char *column, unsigned long line)
{
	int ret = sb_parse_double(text, value);

	if (ret)
		sb_msg("line %lu: '%s' in column %s is not a number", line, text, column);
	return ret;
}

static int whole(const char *text, uint64_t *value, const char *column, unsigned long line)
{
	int ret = sb_parse_u64(text, value);

	if (ret)
		sb_msg("line %lu: '%s' in column %s is not a whole number", line, text, column);
	return ret;
}

static int on_cell(char **f, unsigned long line, void *data)
{
	struct dataset *d = data;
	struct cell *c = grow((void **)&d->cell, &d->cells, sizeof(*c));
	int ret;

	if (!c)
		return -ENOMEM;
	ret = intern_all(d, f, (const char **[]){ &c->dir, &c->kernel, &c->bench }, 3);
	return ret ? ret : whole(f[3], &c->boot, "boot", line);
}

static int on_metric(char **f, unsigned long line, void *data)
{
	struct dataset *d = data;
	struct metric_info *m = grow((void **)&d->metric, &d->metrics, sizeof(*m));

	(void)line;
	if (!m)
		return -ENOMEM;
	return intern_all(d, f,
			  (const char **[]){ &m->bench, &m->metric, &m->unit, &m->better,
					     &m->primary, &m->plot, &m->wobble, &m->help },
			  8);
}

static int by_key(const void *a, const void *b)
{
	const struct row *x = ((const struct group *)a)->first;
	const struct row *y = ((const struct group *)b)->first;
	int ret = strcmp(x->kernel, y->kernel);

	ret = ret ? ret : strcmp(x->bench, y->bench);
	ret = ret ? ret : strcmp(x->phase, y->phase);
	ret = ret ? ret : strcmp(x->metric, y->metric);
	return ret ? ret : strcmp(x->unit, y->unit);
}

static struct group *group_of(struct dataset *d, const struct row *row)
{
	struct group key = { .first = row }, *g, **slot;
	struct group **found = tfind(&key, &d->group_index, by_key);

	if (found)
		return *found;
	g = calloc(1, sizeof(*g));
	slot = g ? grow((void **)&d->group, &d->groups, sizeof(*slot)) : NULL;
	if (!slot) {
		free(g);
		return NULL;
	}
	g->first = row;
	*slot = g;
	return tsearch(g, &d->group_index, by_key) ? g : NULL;
}

static int add_to_group(struct dataset *d, const struct row *row)
{
	struct group *g = group_of(d, row);

	if (!g)
		return sb_err(ENOMEM, "reading results");
	g->boots++;
	g->errors += row->errors;
	sb_stats_merge(&g->pooled, &row->stats);
	if (row->stats.n) {
		sb_stats_add(&g->boot_avg, sb_stats_avg(&row->stats));
		sb_stats_add(&g->boot_max, row->stats.max);
	}
	return 0;
}

static int read_stats(char **f, unsigned long line, struct row *row)
{
	double min = 0, avg = 0, max = 0, var = 0;
	uint64_t n;
	int ret = whole(f[7], &n, "n", line);

	if (!ret)
		ret = whole(f[8], &row->errors, "errors", line);
	/* Fields are empty exactly when there are no samples. */
	if (!ret && n) {
		ret = number(f[9], &min, "min", line);
		ret = ret ? ret : number(f[10], &avg, "avg", line);
		ret = ret ? ret : number(f[11], &max, "max", line);
		ret = ret ? ret : number(f[12], &var, "var", line);
	}
	row->stats = sb_stats_from(n, min, avg, max, var);
	return ret;
}

static int on_row(char **f, unsigned long line, void *data)
{
	struct dataset *d = data;
	struct row *row = calloc(1, sizeof(*row)), **slot;
	int ret;

	slot = row ? grow((void **)&d->row, &d->rows, sizeof(*slot)) : NULL;
	if (!slot) {
		free(row);
		return sb_err(ENOMEM, "reading results");
	}
	*slot = row;
	ret = intern_all(d, f, (const char **[]){ &row->kernel, &row->bench }, 2);
	ret = ret ? ret
		  : intern_all(d, f + 3,
			       (const char **[]){ &row->phase, &row->metric, &row->unit,
						  &row->better },
			       4);
	ret = ret ? ret : whole(f[2], &row->boot, "boot", line);
	ret = ret ? ret : read_stats(f, line, row);
	return ret ? ret : add_to_group(d, row);
}

static int on_bucket(char **f, unsigned long line, void *data)
{
	struct dataset *d = data;
	const struct row row = {
		.kernel = f[0], .bench = f[1], .phase = f[2], .metric = f[3], .unit = f[4]
	};
	struct group key = { .first = &row }, **found;
	double low, high;
	uint64_t count;
	int ret = number(f[5], &low, "low", line);

	ret = ret ? ret : number(f[6], &high, "high", line);
	ret = ret ? ret : whole(f[7], &count, "count", line);
	if (ret)
		return ret;
	found = tfind(&key, &d->group_index, by_key);
	if (!found) {
		sb_msg("line %lu: a histogram of %s/%s that has no row in results.csv", line,
		       f[2], f[3]);
		return -EINVAL;
	}
	ret = sb_hist_add(&(*found)->hist, low + (high - low) / 2, count);
	return ret ? sb_err(ret, "reading histograms") : 0;
}

static int read_status(struct dataset *d, struct cell *c)
{
	char word[CELL_STATUS_SIZE];
	int ret = cell_status(word, d->dir, c->dir);

	c->passed = !strcmp(word, "pass");
	return ret ? ret
		   : intern_all(d, (char *[]){ word }, (const char **[]){ &c->status }, 1);
}

static int read_cell(struct dataset *d, struct cell *c)
{
	static const char *const results[] = { "kernel", "bench",  "boot", "phase",  "metric",
					       "unit",	 "better", "n",	   "errors", "min",
					       "avg",	 "max",	   "var",  NULL };
	static const char *const hist[] = { "kernel", "bench", "phase", "metric", "unit",
					    "low",    "high",  "count", NULL };
	int ret = read_status(d, c);

	if (ret || !c->passed)
		return ret;
	ret = read_file(d, c->dir, "results.csv", false, results, on_row);
	/* What init and the console scanner measured in a guest. */
	if (!ret)
		ret = read_file(d, c->dir, "boot.csv", false, results, on_row);
	if (!ret)
		ret = read_file(d, c->dir, "hist.csv", false, hist, on_bucket);
	if (ret)
		sb_msg("in %s/%s", d->dir, c->dir);
	return ret;
}

int dataset_read(struct dataset *d, const char *dir, const char *reference)
{
	static const char *const plan[] = { "cell", "kernel", "bench", "boot", NULL };
	static const char *const metrics[] = { "bench",		 "metric",  "unit",
					       "better",	 "primary", "plot",
					       "wobble_percent", "help",    NULL };
	int ret;

	*d = (struct dataset){ .dir = dir, .reference = reference };
	ret = read_file(d, NULL, "plan.csv", true, plan, on_cell);
	if (!ret)
		ret = read_file(d, NULL, "metrics.csv", true, metrics, on_metric);
	for (unsigned int i = 0; i < d->cells && !ret; i++)
		ret = read_cell(d, &d->cell[i]);
	return ret;
}

static void keep_node(void *node)
{
	(void)node;
}

void dataset_free(struct dataset *d)
{
	tdestroy(d->group_index, keep_node);
	for (unsigned int i = 0; i < d->groups; i++) {
		sb_hist_free(&d->group[i]->hist);
		free(d->group[i]);
	}
	for (unsigned int i = 0; i < d->rows; i++)
		free(d->row[i]);
	free(d->group);
	free(d->row);
	free(d->metric);
	free(d->cell);
	tdestroy(d->strings, free);
	memset(d, 0, sizeof(*d));
}
