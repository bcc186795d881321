// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "scaling.h"

#define POINTS_MAX 64

bool scaling_split(const char *label, char phase[64], uint64_t *n)
{
	const char *slash = strrchr(label, '/');

	if (!slash || sb_parse_u64(slash + 1, n))
		return false;
	snprintf(phase, 64, "%.*s", (int)(slash - label), label);
	return true;
}

static bool same_curve(const struct scaling_curve *c, const struct row *row, const char *phase)
{
	return !strcmp(c->kernel, row->kernel) && !strcmp(c->bench, row->bench) &&
	       !strcmp(c->phase, phase);
}

int scaling_curves(const struct dataset *d, struct scaling_curve **curves)
{
	int count = 0;

	*curves = calloc(d->groups + 1, sizeof(**curves));
	if (!*curves)
		return sb_err(ENOMEM, "scaling tables");
	for (unsigned int g = 0; g < d->groups; g++) {
		const struct row *row = d->group[g]->first;
		char phase[64];
		uint64_t n;
		int c = 0;

		if (!scaling_split(row->phase, phase, &n))
			continue;
		while (c < count && !same_curve(&(*curves)[c], row, phase))
			c++;
		if (c < count)
			continue;
		(*curves)[count] =
			(struct scaling_curve){ .kernel = row->kernel, .bench = row->bench };
		memcpy((*curves)[count++].phase, phase, sizeof(phase));
	}
	return count;
}

unsigned int scaling_columns(const struct dataset *d, const char *bench,
			     struct primary *columns, unsigned int max)
{
	unsigned int all = primary_pairs(d, bench, columns, max), count = 0;

	for (unsigned int i = 0; i < all; i++)
		if (columns[i].statistic == STAT_MAX)
			columns[count++] = columns[i];
	return count;
}

const struct group *scaling_at(const struct dataset *d, const struct scaling_curve *curve,
			       uint64_t n, const char *metric)
{
	for (unsigned int g = 0; g < d->groups; g++) {
		const struct row *row = d->group[g]->first;
		char phase[64];
		uint64_t at;

		if (!strcmp(row->metric, metric) && scaling_split(row->phase, phase, &at) &&
		    at == n && same_curve(curve, row, phase))
			return d->group[g];
	}
	return NULL;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

unsigned int scaling_points(const struct dataset *d, const struct scaling_curve *curve,
			    uint64_t *n, unsigned int max)
{
	unsigned int count = 0;

	for (unsigned int g = 0; g < d->groups && count < max; g++) {
		const struct row *row = d->group[g]->first;
		char phase[64];
		unsigned int i = 0;
		uint64_t at;

		if (!scaling_split(row->phase, phase, &at) || !same_curve(curve, row, phase))
			continue;
		while (i < count && n[i] != at)
			i++;
		if (i == count)
			n[count++] = at;
	}
	qsort(n, count, sizeof(*n), ascending);
	return count;
}

static void curve_table(const struct dataset *d, const struct scaling_curve *curve, FILE *out)
{
	struct primary columns[PRIMARY_MAX];
	uint64_t n[POINTS_MAX];
	unsigned int width = scaling_columns(d, curve->bench, columns, PRIMARY_MAX);
	unsigned int points = scaling_points(d, curve, n, POINTS_MAX);
	char text[SB_NUM_LEN];

	if (!width)
		return;
	fprintf(out, "\n%s, kernel %s: %s against N\n    %12s", curve->bench, curve->kernel,
		curve->phase, "N");
	for (unsigned int c = 0; c < width; c++) {
		char head[64];

		snprintf(head, sizeof(head), "%s %s, %s", columns[c].metric->metric,
			 statistic_name(columns[c].statistic), columns[c].metric->unit);
		fprintf(out, "  %20s", head);
	}
	for (unsigned int i = 0; i < points; i++) {
		fprintf(out, "\n    %12s", sb_num_grouped(text, n[i]));
		for (unsigned int c = 0; c < width; c++) {
			const struct group *g =
				scaling_at(d, curve, n[i], columns[c].metric->metric);

			if (g && g->pooled.n)
				fprintf(out, "  %20.1f", g->pooled.max);
			else
				fprintf(out, "  %20s", "-");
		}
	}
	fputc('\n', out);
}

int scaling_tables(const struct dataset *d, FILE *out)
{
	struct scaling_curve *curves;
	int count = scaling_curves(d, &curves);

	for (int c = 0; c < count; c++)
		curve_table(d, &curves[c], out);
	free(curves);
	return count < 0 ? count : 0;
}
