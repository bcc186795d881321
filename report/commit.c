// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "../core/stream.h"
#include "../core/table.h"
#include "commit.h"
#include "origin.h"
#include "readcsv.h"

#define PHASES_MAX 16 /* of a published table */

/* A phase of the published table. */
struct published {
	char phase[64];
	double avg[2], max[2]; /* without, with; 0 = not there */
};

struct reference {
	struct published phase[PHASES_MAX];
	unsigned int phases;
};

static struct published *phase_of(struct reference *r, const char *phase)
{
	for (unsigned int i = 0; i < r->phases; i++)
		if (!strcmp(r->phase[i].phase, phase))
			return &r->phase[i];
	return NULL;
}

static int on_published(char **f, unsigned long line, void *data)
{
	struct reference *r = data;
	struct published *p = phase_of(r, f[1]);
	int side = !strcmp(f[0], "with");

	if (!p && r->phases < PHASES_MAX) {
		p = &r->phase[r->phases++];
		snprintf(p->phase, sizeof(p->phase), "%s", f[1]);
	}
	if (!p || sb_parse_double(f[2], &p->avg[side]) ||
	    sb_parse_double(f[3], &p->max[side])) {
		sb_msg("line %lu: not a row of published figures", line);
		return -EINVAL;
	}
	return 0;
}

static const struct group *find(const struct dataset *d, const char *kernel,
				const struct metric_info *m, const char *phase)
{
	for (unsigned int g = 0; g < d->groups; g++) {
		const struct row *row = d->group[g]->first;

		if (!strcmp(row->kernel, kernel) && !strcmp(row->bench, m->bench) &&
		    !strcmp(row->metric, m->metric) && !strcmp(row->phase, phase))
			return d->group[g];
	}
	return NULL;
}

/* The first kernels, three at most, that have cells of the metric's benchmark, as planned. */
static unsigned int find_kernels(const struct dataset *d, const struct metric_info *m,
				 const char *kernel[3])
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < d->cells && count < 3; i++) {
		unsigned int known = 0;

		if (strcmp(d->cell[i].bench, m->bench))
			continue;
		while (known < count && strcmp(kernel[known], d->cell[i].kernel))
			known++;
		if (known == count)
			kernel[count++] = d->cell[i].kernel;
	}
	return count;
}

/* A block of half a run would be believed all the same. */
static int all_passed(const struct dataset *d, const char *bench)
{
	int ret = 0;

	for (unsigned int i = 0; i < d->cells; i++) {
		const struct cell *c = &d->cell[i];

		if (strcmp(c->bench, bench) || c->passed)
			continue;
		sb_msg("%s: %s; the block is for runs all of whose cells passed", c->dir,
		       c->status);
		ret = -EINVAL;
	}
	return ret;
}

static int side(const struct dataset *d, const struct metric_info *m, const char *kernel,
		const char *word, FILE *out)
{
	struct sb_table_row *rows = calloc(d->groups + 1, sizeof(*rows));
	struct origin origin;
	unsigned int count = 0;
	char title[256];
	int ret;

	if (!rows)
		return sb_err(ENOMEM, "printing results");
	ret = origin_find(d, kernel, &origin);

	for (unsigned int g = 0; g < d->groups && !ret; g++) {
		const struct group *group = d->group[g];

		if (strcmp(group->first->kernel, kernel) ||
		    strcmp(group->first->bench, m->bench) ||
		    strcmp(group->first->metric, m->metric))
			continue;
		rows[count++] = (struct sb_table_row){
			.phase = group->first->phase,
			.metric = group->first->metric,
			.unit = group->first->unit,
			.stats = &group->pooled,
			.errors = group->errors,
		};
	}
	snprintf(title, sizeof(title), "Results %s the change (%s, kernel %s, %s, %s time)",
		 word, m->bench, kernel, origin.release, origin.clock);
	if (!ret)
		sb_table_published(out, title, rows, count);
	free(rows);
	return ret;
}

static void ratio(FILE *out, double without, double with)
{
	if (with > 0 && without > 0)
		fprintf(out, " %12.1f", without / with);
	else
		fprintf(out, " %12s", "-");
}

/* How many times smaller with the change: what was published, what was measured. */
static void ratios(const struct dataset *d, const struct metric_info *m,
		   const char *const *kernel, struct reference *r, FILE *out)
{
	fprintf(out, "\n%s without / with, how many times smaller:\n", m->metric);
	fprintf(out, "    %-16s %12s %12s %12s %12s %12s\n", "phase", "published", "measured",
		"published", "measured", "measured");
	fprintf(out, "    %-16s %12s %12s %12s %12s %12s\n", "", "max", "max", "avg", "avg",
		"total");
	for (unsigned int g = 0; g < d->groups; g++) {
		const struct group *base = d->group[g], *new;
		const struct row *row = base->first;
		const struct published *p;

		if (strcmp(row->kernel, kernel[0]) || strcmp(row->bench, m->bench) ||
		    strcmp(row->metric, m->metric))
			continue;
		new = find(d, kernel[1], m, row->phase);
		p = phase_of(r, row->phase);
		if (!new || !new->pooled.n || !base->pooled.n)
			continue;
		fprintf(out, "    %-16s", row->phase);
		ratio(out, p ? p->max[0] : 0, p ? p->max[1] : 0);
		ratio(out, base->pooled.max, new->pooled.max);
		ratio(out, p ? p->avg[0] : 0, p ? p->avg[1] : 0);
		ratio(out, sb_stats_avg(&base->pooled), sb_stats_avg(&new->pooled));
		ratio(out, sb_stats_total(&base->pooled), sb_stats_total(&new->pooled));
		fputc('\n', out);
	}
}

static int read_reference(struct reference *r, const char *folder, const char *bench)
{
	static const char *const columns[] = { "kernel", "phase", "avg", "max", NULL };
	int ret;

	*r = (struct reference){ 0 };
	ret = readcsv_at(columns, on_published, r, "%s/%s.csv", folder, bench);
	return ret == -ENOENT ? 0 : ret;
}

static int print_bench(const struct dataset *d, const struct metric_info *m, FILE *out)
{
	const char *kernel[3];
	struct reference r;
	int ret;

	if (find_kernels(d, m, kernel) != 2) {
		sb_msg("%s: the commit block needs the cells of two kernels, base first",
		       m->bench);
		return -EINVAL;
	}
	ret = all_passed(d, m->bench);
	if (!ret)
		ret = read_reference(&r, d->reference, m->bench);
	if (!ret)
		ret = side(d, m, kernel[0], "without", out);
	if (!ret)
		fputc('\n', out);
	if (!ret)
		ret = side(d, m, kernel[1], "with", out);
	if (!ret)
		ratios(d, m, kernel, &r, out);
	return ret;
}

int commit_print(struct dataset *d, FILE *out)
{
	for (unsigned int i = 0; i < d->metrics; i++) {
		const struct metric_info *m = &d->metric[i];
		bool measured = false;
		int ret;

		/* The first metric of a benchmark is the published one. */
		if (i && !strcmp(d->metric[i - 1].bench, m->bench))
			continue;
		for (unsigned int c = 0; c < d->cells; c++)
			measured = measured || !strcmp(d->cell[c].bench, m->bench);
		ret = measured ? print_bench(d, m, out) : 0;
		if (ret)
			return ret;
	}
	return sb_flush(out, "the block");
}
