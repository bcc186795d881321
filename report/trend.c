// SPDX-License-Identifier: GPL-2.0-only
#include "trend.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "../core/stream.h"
#include "compare.h"
#include "compare_gates.h"
#include "side.h"
#include "verdict.h"

#define BOOTS_MOST 256 /* of one run, or of a level */

/* One run's figures, a boot each. */
struct point {
	const char *path;
	char start[32], kernel[192], clock[16];
	double figure[BOOTS_MOST];
	unsigned int boots;
	int direction;
	double wobble; /* as the run itself declares it; NAN: it does not */
};

struct wanted {
	char bench[64], phase[64], metric[64], name[16];
	enum compare_statistic statistic;
	const char *kernel;
};

static int parse_wanted(const char *text, const char *kernel, struct wanted *w)
{
	int s = 0;

	w->kernel = kernel;
	if (sscanf(text, "%63[^:]:%63[^:]:%63[^:]:%15s", w->bench, w->phase, w->metric,
		   w->name) == 4) {
		while (s < COMPARE_STATISTICS &&
		       strcmp(compare_statistic_name((enum compare_statistic)s), w->name))
			s++;
		w->statistic = (enum compare_statistic)s;
		if (s < COMPARE_STATISTICS)
			return 0;
	}
	sb_msg("'%s' is not BENCH:PHASE:METRIC:STATISTIC (avg, max, p99 or total)", text);
	return -EINVAL;
}

static void take(struct point *p, const struct side *s, uint32_t kernel, const struct wanted *w)
{
	for (uint32_t i = 0; i < s->records; i++) {
		const struct record *r = &s->record[i];
		const char *better = names_text(s->names, r->better);

		if (r->kernel != kernel || !r->n || p->boots == BOOTS_MOST ||
		    strcmp(names_text(s->names, r->bench), w->bench) ||
		    strcmp(names_text(s->names, r->phase), w->phase) ||
		    strcmp(names_text(s->names, r->metric), w->metric))
			continue;
		p->direction = !strcmp(better, "lower") ? -1 : !strcmp(better, "higher");
		if (compare_figure(r, w->statistic, &p->figure[p->boots]))
			p->boots++;
	}
}

static int read_wobble(struct point *p, const struct side *s, const struct wanted *w)
{
	const struct gate *gate = NULL;
	struct gates gates;
	int ret = gates_read(&gates, s, s->names);

	if (!ret)
		gate = gates_find(&gates, names_id(s->names, w->bench),
				  names_id(s->names, w->metric));
	p->wobble = gate ? gate->wobble : NAN;
	gates_free(&gates);
	return ret;
}

static int read_point(struct point *p, const char *path, const struct wanted *w)
{
	struct names names = { 0 };
	struct side s;
	int ret = side_read(&s, path, &names);

	*p = (struct point){ .path = path };
	for (uint32_t k = 0; k < s.kernels && !ret; k++) {
		const char *name = names_text(&names, s.kernel[k]), *clock, *start;

		if (*w->kernel ? strcmp(name, w->kernel) != 0 : k > 0)
			continue;
		clock = side_fact(&s, s.kernel[k], "clock");
		start = side_fact(&s, s.kernel[k], "start");
		snprintf(p->kernel, sizeof(p->kernel), "%s", name);
		snprintf(p->clock, sizeof(p->clock), "%s", clock ? clock : "unknown");
		snprintf(p->start, sizeof(p->start), "%s", start ? start : "unknown");
		take(p, &s, s.kernel[k], w);
		ret = read_wobble(p, &s, w);
	}
	side_free(&s);
	names_free(&names);
	/* One run that cannot be read, was interrupted, or is none, does not spoil the others.
	 */
	if (ret == -EINVAL || ret == -ENOENT)
		p->boots = 0;
	return ret == -EINVAL || ret == -ENOENT ? 0 : ret;
}

static int by_start(const void *a, const void *b)
{
	return strcmp(((const struct point *)a)->start, ((const struct point *)b)->start);
}

/* The boots of all runs since the last change: what a new run is held against. */
struct level {
	double figure[BOOTS_MOST];
	unsigned int boots;
	const char *clock;
};

static void join(struct level *l, const struct point *p)
{
	for (unsigned int i = 0; i < p->boots && l->boots < BOOTS_MOST; i++)
		l->figure[l->boots++] = p->figure[i];
	l->clock = p->clock;
}

static int judge(const struct level *l, const struct point *p, struct verdict_row *row)
{
	bool exact = !strcmp(p->clock, "virtual");
	struct rank_null null = { 0 };
	const struct verdict_rules rules = { .exact = exact,
					     .threshold = verdict_threshold(exact),
					     .alpha = VERDICT_ALPHA,
					     .gates = 1,
					     .seed = 1,
					     .null = &null };
	int ret;

	*row = (struct verdict_row){ .base = l->figure,
				     .bases = l->boots,
				     .new = p->figure,
				     .news = p->boots,
				     .direction = p->direction,
				     .wobble = p->wobble,
				     .gates = true };
	ret = verdict_test(row, &rules);
	if (!ret)
		verdict_decide(&row, 1, &rules);
	rank_null_free(&null);
	return ret;
}

static double mean(const struct point *p)
{
	double sum = 0;

	for (unsigned int i = 0; i < p->boots; i++)
		sum += p->figure[i];
	return sum / p->boots;
}

static void data_line(const struct point *p, unsigned int at)
{
	char a[SB_NUM_LEN], b[SB_NUM_LEN], c[SB_NUM_LEN];
	double low = p->figure[0], high = p->figure[0];

	for (unsigned int i = 1; i < p->boots; i++) {
		low = fmin(low, p->figure[i]);
		high = fmax(high, p->figure[i]);
	}
	printf("%u %s %s %s \"%s\"\n", at, sb_num(a, mean(p)), sb_num(b, low), sb_num(c, high),
	       p->start);
}

static void table_line(const struct point *p, const struct verdict_row *row, const char *said)
{
	char change[32] = "";

	if (row && row->relative)
		snprintf(change, sizeof(change), "%+.2f %%", row->change * 100);
	printf("    %-22s %5u %14.3f %10s  %-12s %s\n", p->start, p->boots, mean(p), change,
	       said, p->path);
}

/* What the verdicts come to: an exit status. */
static int status_of(const unsigned int *said)
{
	if (said[VERDICT_WORSE])
		return COMPARE_REGRESSION;
	if (said[VERDICT_CANNOT_SAY] && !said[VERDICT_SAME] && !said[VERDICT_BETTER] &&
	    !said[VERDICT_CHANGED])
		return COMPARE_CANNOT_SAY;
	return COMPARE_OK;
}

/* Returns -errno, or the exit status. */
static int walk(struct point *points, int count, bool data)
{
	unsigned int said[VERDICTS] = { 0 };
	struct level level = { 0 };
	int shown = 0;

	for (int i = 0; i < count; i++) {
		struct point *p = &points[i];
		struct verdict_row row;
		int ret;

		if (!p->boots) {
			sb_msg("%s: no such figure, left out", p->path);
			continue;
		}
		if (data)
			data_line(p, (unsigned int)shown);
		if (!shown++ || strcmp(level.clock, p->clock)) {
			/* Another clock measures another thing: a new beginning. */
			level.boots = 0;
			join(&level, p);
			if (!data)
				table_line(p, NULL, "first");
			continue;
		}
		ret = judge(&level, p, &row);
		if (ret)
			return ret;
		if (row.verdict == VERDICT_BETTER || row.verdict == VERDICT_WORSE ||
		    row.verdict == VERDICT_CHANGED)
			level.boots = 0;
		join(&level, p);
		said[row.verdict]++;
		if (!data)
			table_line(p, &row, verdict_name(row.verdict));
	}
	if (shown) {
		int ret = sb_flush(stdout, "the figures");

		return ret ? ret : status_of(said);
	}
	sb_msg("none of the runs has that figure");
	return -EINVAL;
}

int trend_main(int argc, char **argv)
{
	bool data = argc > 1 && !strcmp(argv[1], "--data");
	struct point *points;
	struct wanted w;
	int count, ret = 0;

	argc -= data;
	argv += data;
	if (argc < 4) {
		sb_msg("trend takes FIGURE KERNEL RUN...");
		return COMPARE_BAD_INPUT;
	}
	count = argc - 3;
	points = calloc((size_t)count, sizeof(*points));
	if (!points) {
		sb_err(ENOMEM, "reading runs");
		return COMPARE_BAD_INPUT;
	}
	ret = parse_wanted(argv[1], argv[2], &w);
	for (int i = 0; i < count && !ret; i++)
		ret = read_point(&points[i], argv[i + 3], &w);
	if (!ret) {
		qsort(points, (size_t)count, sizeof(*points), by_start);
		if (!data)
			printf("%s %s %s %s, each run against those since the last change:\n"
			       "    %-22s %5s %14s %10s  %-12s %s\n",
			       w.bench, w.phase, w.metric, w.name, "started", "boots", "figure",
			       "change", "verdict", "run");
		ret = walk(points, count, data);
	}
	free(points);
	return ret < 0 ? COMPARE_BAD_INPUT : ret;
}
