// SPDX-License-Identifier: GPL-2.0-only
#include "bound.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "../core/stream.h"
#include "primary.h"

int bound_parse(const char *text, double *value)
{
	size_t len = strcspn(text, "+-");
	char number[64], percent[64];
	double share;

	snprintf(number, sizeof(number), "%.*s", (int)len, text);
	if (len >= sizeof(number) || sb_parse_double(number, value))
		return -EINVAL;
	if (!text[len])
		return 0;
	snprintf(percent, sizeof(percent), "%s", text + len + 1);
	len = strlen(percent);
	if (!len || percent[len - 1] != '%')
		return -EINVAL;
	percent[len - 1] = '\0';
	if (sb_parse_double(percent, &share))
		return -EINVAL;
	*value *= 1 + (strchr(text, '+') ? share : -share) / 100;
	return 0;
}

static int find_pair(const struct dataset *d, const struct bound *b, struct primary *pair)
{
	int s = 0;

	while (s < STATISTICS && strcmp(statistic_name((enum statistic)s), b->statistic))
		s++;
	for (unsigned int m = 0; m < d->metrics && s < STATISTICS; m++) {
		if (strcmp(d->metric[m].bench, b->bench) ||
		    strcmp(d->metric[m].metric, b->metric))
			continue;
		*pair = (struct primary){ &d->metric[m], (enum statistic)s };
		return 0;
	}
	sb_msg("no metric '%s' of %s, or no statistic '%s'", b->metric, b->bench, b->statistic);
	return -EINVAL;
}

int bound_check(const struct dataset *d, const struct bound *b, bool *good, FILE *out)
{
	struct primary pair;
	struct sb_stats boots = SB_STATS_INIT;
	double limit, figure;
	bool lower;
	int ret = find_pair(d, b, &pair);

	if (ret)
		return ret;
	if (bound_parse(b->text, &limit)) {
		sb_msg("'%s' is no bound (a number, or 1780+2%%)", b->text);
		return -EINVAL;
	}
	if (d->cells)
		boots = primary_boots(d, d->cell[0].kernel, b->phase, &pair);
	if (!boots.n) {
		sb_msg("no figure for %s %s %s in %s", b->bench, b->phase, b->metric, d->dir);
		return -ENODATA;
	}
	lower = !strcmp(pair.metric->better, "lower");
	if (!lower && strcmp(pair.metric->better, "higher")) {
		sb_msg("%s has no better: no side of a bound is the good one", b->metric);
		return -EINVAL;
	}
	figure = sb_stats_avg(&boots);
	*good = lower ? figure <= limit : figure >= limit;
	fprintf(out, "%s %s %s %g %s over %" PRIu64 " boot%s, bound %g\n", b->phase, b->metric,
		b->statistic, figure, pair.metric->unit, boots.n, boots.n == 1 ? "" : "s",
		limit);
	return sb_flush(out, "the figure");
}
