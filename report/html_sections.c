// SPDX-License-Identifier: GPL-2.0-only
/* Tables, pictures and what the consoles said in report.html. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "../core/results.h"
#include "columns.h"
#include "folder.h"
#include "html.h"
#include "readcsv.h"
#include "sweep.h"

static void quantile(FILE *out, bool known, double value)
{
	if (known)
		html_number(out, value);
	else
		fputs("<td class=n>-</td>", out);
}

static void figure_row(const struct group *g, FILE *out)
{
	struct sb_quantiles q;

	sb_quantiles(&g->pooled, &g->hist, &q);
	fputs("<tr>", out);
	html_cell(out, g->first->phase);
	html_cell(out, g->first->metric);
	html_cell(out, g->first->unit);
	html_number(out, g->boots);
	html_number(out, (double)g->pooled.n);
	html_number(out, (double)g->errors);
	quantile(out, g->pooled.n, g->pooled.min);
	quantile(out, g->pooled.n, g->pooled.n ? sb_stats_avg(&g->pooled) : 0);
	quantile(out, q.known[SB_P50], q.value[SB_P50]);
	quantile(out, q.known[SB_P99], q.value[SB_P99]);
	quantile(out, g->pooled.n, g->pooled.max);
	fputs("</tr>\n", out);
}

#define FIGURE_COLUMNS 11

static void figures_of(const struct dataset *d, const char *bench, FILE *out)
{
	const char *kernel = "";

	fputs("<h2>All figures: ", out);
	html_text(out, bench);
	fputs("</h2>\n<div class=scroll><table><tr><th>phase<th>metric<th>unit<th>boots<th>n"
	      "<th>errors<th>min<th>avg<th>p50<th>p99<th>max</tr>\n",
	      out);
	for (unsigned int i = 0; i < d->groups; i++) {
		const struct group *g = d->group[i];

		if (strcmp(g->first->bench, bench))
			continue;
		if (strcmp(g->first->kernel, kernel))
			html_kernel_row(out, g->first->kernel, FIGURE_COLUMNS);
		kernel = g->first->kernel;
		figure_row(g, out);
	}
	fputs("</table></div>\n", out);
}

int html_figures(const struct dataset *d, FILE *out)
{
	for (unsigned int i = 0; i < d->groups; i++) {
		const char *bench = d->group[i]->first->bench;
		unsigned int before = 0;

		while (before < i && strcmp(d->group[before]->first->bench, bench))
			before++;
		if (before == i)
			figures_of(d, bench, out);
	}
	return 0;
}

struct printing {
	FILE *out;
	const char *const *columns;
	const char *heading;
	bool any;
};

static int on_csv_row(char **f, unsigned long line, void *data)
{
	struct printing *p = data;
	double value;

	(void)line;
	if (!p->any) {
		fprintf(p->out, "<h2>%s</h2>\n<div class=scroll><table><tr>", p->heading);
		for (unsigned int i = 0; p->columns[i]; i++)
			fprintf(p->out, "<th>%s", p->columns[i]);
		fputs("</tr>\n", p->out);
	}
	p->any = true;
	fputs("<tr>", p->out);
	for (unsigned int i = 0; p->columns[i]; i++) {
		if (*f[i] && !sb_parse_double(f[i], &value))
			html_number(p->out, value);
		else if (!strcmp(p->columns[i], "kernel"))
			html_kernel(p->out, f[i], 1);
		else
			html_cell(p->out, *f[i] ? f[i] : "-");
	}
	fputs("</tr>\n", p->out);
	return 0;
}

/* The columns that people want to see, of the files that benchcmp itself writes. */
int html_csv(const struct dataset *d, const char *file, const char *heading, FILE *out)
{
	static const char *const sweep[] = { "kernel",	     "phase",	    "metric",
					     "statistic",    "unit",	    "parameter",
					     "value",	     "boots",	    "figure",
					     "cost_percent", "low_percent", "high_percent",
					     "published",    "knee",	    NULL };
	static const char *const columns[] = { "phase",	    "metric", "statistic", "unit",
					       "kernel",    "boots",  "figure",	   "percent",
					       "published", NULL };
	struct printing p = { .out = out, .heading = heading };
	char *path = dataset_path(d, NULL, file);
	int ret;

	if (!path)
		return -ENOMEM;
	p.columns = strcmp(file, "sweep.csv") ? columns : sweep;
	ret = readcsv(path, p.columns, on_csv_row, &p);
	free(path);
	fputs(p.any ? "</table></div>\n" : "", out);
	return ret == -ENOENT ? 0 : ret;
}

/* From <svg on: what comes before is for files that stand alone. */
static int copy_svg(const char *path, FILE *out)
{
	FILE *in = fopen(path, "re");
	char line[8192];
	bool begun = false;
	int ret = 0;

	if (!in)
		return sb_err(errno, "cannot read %s", path);
	fputs("<figure>\n", out);
	while (fgets(line, sizeof(line), in)) {
		const char *from = begun ? line : strstr(line, "<svg");

		if (!from)
			continue;
		begun = true;
		fputs(from, out);
	}
	if (ferror(in))
		ret = sb_err(errno, "reading %s", path);
	fclose(in);
	fputs("</figure>\n", out);
	return ret;
}

static int picture(const struct dataset *d, const char *name, FILE *out)
{
	char *path = dataset_path(d, "plots", name);
	int ret = path ? copy_svg(path, out) : -ENOMEM;

	free(path);
	return ret;
}

int html_plots(const struct dataset *d, FILE *out)
{
	char *path = dataset_path(d, NULL, "plots");
	struct folder plots;
	bool any = false;
	int ret;

	if (!path)
		return -ENOMEM;
	ret = folder_read(&plots, path);
	free(path);
	for (int i = 0; i < plots.entries && !ret; i++) {
		const char *name = plots.entry[i]->d_name;
		size_t len = strlen(name);

		if (len < 4 || strcmp(name + len - 4, ".svg"))
			continue;
		if (!any)
			fputs("<h2>Pictures</h2>\n", out);
		any = true;
		ret = picture(d, name, out);
	}
	folder_free(&plots);
	return ret;
}

static int on_finding(char **f, unsigned long line, void *data)
{
	FILE *out = data;

	fprintf(out, "<tr><td><td class=%s>", strcmp(f[0], "bad") ? "soft" : "bad");
	(void)line;
	html_text(out, f[0]);
	fputs("</td>", out);
	html_cell(out, f[1]);
	fputs("</tr>\n", out);
	return 0;
}

int html_cells(const struct dataset *d, FILE *out)
{
	static const char *const columns[] = { "kind", "text", NULL };
	int ret = 0;

	fputs("<h2>Cells, and what their consoles said</h2>\n<div class=scroll><table><tr><th>cell"
	      "<th>status<th>console</tr>\n",
	      out);
	for (unsigned int i = 0; i < d->cells && !ret; i++) {
		const struct cell *c = &d->cell[i];
		char *path = dataset_path(d, c->dir, "console.csv");

		if (!path)
			return -ENOMEM;
		fputs("<tr>", out);
		html_cell(out, c->dir);
		fprintf(out, "<td class=%s>%s</td><td></td></tr>\n", c->passed ? "good" : "bad",
			c->status);
		ret = readcsv(path, columns, on_finding, out);
		ret = ret == -ENOENT ? 0 : ret;
		free(path);
	}
	fputs("</table></div>\n", out);
	return ret;
}
