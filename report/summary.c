// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../core/csv.h"
#include "../core/results.h"
#include "readcsv.h"
#include "summary.h"

static int copy_row(char **f, unsigned long line, void *data)
{
	struct sb_csv *out = data;

	(void)line;
	for (int i = 0; i < 17; i++)
		sb_csv_text(out, f[i]);
	sb_csv_end_row(out);
	return 0;
}

/* As text, not through numbers: in virtual time the copy is compared byte by byte. */
static int copy_cell(const struct dataset *d, const struct cell *c, const char *name,
		     struct sb_csv *out)
{
	static const char *const columns[] = { "kernel", "bench",  "boot", "phase",  "metric",
					       "unit",	 "better", "n",	   "errors", "min",
					       "avg",	 "max",	   "var",  "p50",    "p90",
					       "p99",	 "p999",   NULL };
	char *path = dataset_path(d, c->dir, name);
	int ret;

	if (!path)
		return -ENOMEM;
	ret = readcsv(path, columns, copy_row, out);
	free(path);
	return ret == -ENOENT ? 0 : ret;
}

int summary_write_results(struct dataset *d)
{
	struct sb_csv out;
	int ret = dataset_create(d, "results.csv", &out), more;

	if (ret)
		return ret;
	sb_csv_header(&out, SB_RESULTS_HEADER);
	for (unsigned int i = 0; i < d->cells && !ret; i++) {
		if (!d->cell[i].passed)
			continue;
		ret = copy_cell(d, &d->cell[i], "results.csv", &out);
		if (!ret)
			ret = copy_cell(d, &d->cell[i], "boot.csv", &out);
	}
	more = sb_csv_close(&out);
	return ret ? ret : more;
}

static void spread(struct sb_csv *out, const struct sb_stats *boots)
{
	if (!boots->n) {
		for (int i = 0; i < 3; i++)
			sb_csv_empty(out);
		return;
	}
	sb_csv_double(out, boots->min);
	sb_csv_double(out, boots->max);
	sb_csv_double(out, sqrt(sb_stats_var(boots)));
}

static void write_group(const struct group *g, struct sb_csv *out)
{
	const struct row *name = g->first;

	sb_csv_text(out, name->kernel);
	sb_csv_text(out, name->bench);
	sb_csv_text(out, name->phase);
	sb_csv_text(out, name->metric);
	sb_csv_text(out, name->unit);
	sb_csv_text(out, name->better);
	sb_csv_u64(out, g->boots);
	sb_csv_statistics(out, &g->pooled, g->errors, &g->hist);
	spread(out, &g->boot_avg);
	spread(out, &g->boot_max);
	sb_csv_end_row(out);
}

int summary_write(struct dataset *d)
{
	struct sb_csv out;
	int ret = dataset_create(d, "summary.csv", &out);

	if (ret)
		return ret;
	sb_csv_header(&out, SUMMARY_HEADER);
	for (unsigned int i = 0; i < d->groups; i++)
		write_group(d->group[i], &out);
	return sb_csv_close(&out);
}
