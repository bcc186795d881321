// SPDX-License-Identifier: GPL-2.0-only
#include "primary.h"

#include <string.h>

static const char *const names[STATISTICS] = { "avg", "max", "total" };

const char *statistic_name(enum statistic s)
{
	return names[s];
}

bool statistic_of(const struct sb_stats *stats, enum statistic s, double *value)
{
	if (!stats->n)
		return false;
	switch (s) {
	case STAT_AVG:
		*value = sb_stats_avg(stats);
		break;
	case STAT_MAX:
		*value = stats->max;
		break;
	default:
		*value = sb_stats_total(stats);
		break;
	}
	return true;
}

bool primary_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (!strncmp(at, word, len) && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

unsigned int primary_pairs(const struct dataset *d, const char *bench, struct primary *pairs,
			   unsigned int max)
{
	unsigned int count = 0;

	for (unsigned int m = 0; m < d->metrics; m++) {
		if (strcmp(d->metric[m].bench, bench))
			continue;
		for (int s = 0; s < STATISTICS && count < max; s++)
			if (primary_word(d->metric[m].primary, names[s]))
				pairs[count++] =
					(struct primary){ &d->metric[m], (enum statistic)s };
	}
	return count;
}

const struct row *primary_row(const struct dataset *d, const char *kernel, const char *phase,
			      const struct metric_info *metric, uint64_t boot)
{
	for (unsigned int i = 0; i < d->rows; i++) {
		const struct row *row = d->row[i];

		if (row->boot == boot && !strcmp(row->kernel, kernel) &&
		    !strcmp(row->phase, phase) && !strcmp(row->bench, metric->bench) &&
		    !strcmp(row->metric, metric->metric))
			return row;
	}
	return NULL;
}

struct sb_stats primary_boots(const struct dataset *d, const char *kernel, const char *phase,
			      const struct primary *pair)
{
	struct sb_stats over = SB_STATS_INIT;
	double one;

	for (unsigned int i = 0; i < d->rows; i++) {
		const struct row *row = d->row[i];

		if (strcmp(row->kernel, kernel) || strcmp(row->phase, phase) ||
		    strcmp(row->bench, pair->metric->bench) ||
		    strcmp(row->metric, pair->metric->metric))
			continue;
		if (statistic_of(&row->stats, pair->statistic, &one))
			sb_stats_add(&over, one);
	}
	return over;
}
