// SPDX-License-Identifier: GPL-2.0-only
#include "boots.h"

#include <errno.h>
#include <string.h>

#include "../core/csv.h"
#include "../core/msg.h"
#include "../core/stream.h"
#include "origin.h"
#include "primary.h"

static uint64_t boots_of(const struct dataset *d, const struct row *first)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < d->cells; i++)
		if (!strcmp(d->cell[i].kernel, first->kernel) &&
		    !strcmp(d->cell[i].bench, first->bench) && d->cell[i].boot > most)
			most = d->cell[i].boot;
	return most;
}

static bool complete(const struct dataset *d, const struct row *first,
		     const struct primary *pair)
{
	double value;

	for (uint64_t boot = 1; boot <= boots_of(d, first); boot++) {
		const struct row *row =
			primary_row(d, first->kernel, first->phase, pair->metric, boot);

		if (!row || !statistic_of(&row->stats, pair->statistic, &value) || value <= 0)
			return false;
	}
	return true;
}

static void print_row(const struct dataset *d, const struct row *first,
		      const struct primary *pair, const char *clock, struct sb_csv *csv)
{
	char name[192];
	double value;

	snprintf(name, sizeof(name), "%s %s %s", first->phase, pair->metric->metric,
		 statistic_name(pair->statistic));
	for (uint64_t boot = 1; boot <= boots_of(d, first); boot++) {
		const struct row *row =
			primary_row(d, first->kernel, first->phase, pair->metric, boot);

		statistic_of(&row->stats, pair->statistic, &value);
		sb_csv_text(csv, first->kernel);
		sb_csv_text(csv, clock);
		sb_csv_text(csv, name);
		sb_csv_text(csv, pair->metric->wobble);
		sb_csv_u64(csv, boot);
		sb_csv_double(csv, value);
		sb_csv_end_row(csv);
	}
}

int boots_print(const struct dataset *d, FILE *out)
{
	struct sb_csv csv = { .file = out };
	struct origin o;
	int ret;

	if (!d->groups) {
		sb_msg("%s holds no figures", d->dir);
		return -EINVAL;
	}
	ret = origin_find(d, d->group[0]->first->kernel, &o);
	if (ret)
		return ret;
	sb_csv_header(&csv, BOOTS_HEADER);
	for (unsigned int g = 0; g < d->groups; g++) {
		const struct row *first = d->group[g]->first;
		struct primary pairs[PRIMARY_MAX];
		unsigned int n = primary_pairs(d, first->bench, pairs, PRIMARY_MAX);

		for (unsigned int i = 0; i < n; i++)
			if (!strcmp(pairs[i].metric->metric, first->metric) &&
			    complete(d, first, &pairs[i]))
				print_row(d, first, &pairs[i], o.clock, &csv);
	}
	return sb_flush(out, "the boots");
}
