// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "results.h"

static struct sb_series *find(const struct sb_results *r, const char *phase, const char *metric)
{
	for (unsigned int i = 0; i < r->count; i++)
		if (!strcmp(r->series[i]->phase, phase) &&
		    !strcmp(r->series[i]->metric->name, metric))
			return r->series[i];
	return NULL;
}

struct sb_series *sb_results_series(struct sb_results *r, const char *phase,
				    const struct sb_metric *metric)
{
	struct sb_series *s = find(r, phase, metric->name);
	struct sb_series **grown;

	if (s)
		return s;
	grown = realloc(r->series, (r->count + 1) * sizeof(*grown));
	if (grown)
		r->series = grown;
	s = grown ? calloc(1, sizeof(*s)) : NULL;
	if (!s) {
		sb_err(ENOMEM, "results of %s %s", phase, metric->name);
		return NULL;
	}
	s->metric = metric;
	s->stride = 1;
	snprintf(s->phase, sizeof(s->phase), "%s", phase);
	r->series[r->count++] = s;
	return s;
}

int sb_series_add(struct sb_series *s, double value)
{
	int ret = sb_hist_add(&s->hist, value, 1);

	if (ret)
		return sb_err(ret, "samples of %s %s", s->phase, s->metric->name);
	sb_stats_add(&s->stats, value);
	return 0;
}

/* Halves the list, keeping the longer of each pair. */
static void thin_events(struct sb_series *s)
{
	for (unsigned int i = 0; i < SB_EVENTS_MAX / 2; i++) {
		struct sb_event *a = &s->events[2 * i], *b = a + 1;

		s->events[i] = a->length >= b->length ? *a : *b;
	}
	s->event_count = SB_EVENTS_MAX / 2;
	s->stride *= 2;
}

static int remember(struct sb_series *s, struct sb_event event)
{
	struct sb_event *last;

	if (!s->events) {
		s->events = calloc(SB_EVENTS_MAX, sizeof(*s->events));
		if (!s->events)
			return sb_err(ENOMEM, "time line of %s %s", s->phase, s->metric->name);
	}
	if (s->skipped) {
		last = &s->events[s->event_count - 1];
		if (event.length > last->length)
			*last = event;
	} else {
		if (s->event_count == SB_EVENTS_MAX)
			thin_events(s);
		s->events[s->event_count++] = event;
	}
	s->skipped = (s->skipped + 1) % s->stride;
	return 0;
}

int sb_series_add_at(struct sb_series *s, double start_us, double value)
{
	int ret = remember(s, (struct sb_event){ start_us, value });

	return ret ? ret : sb_series_add(s, value);
}

static int pool_one(struct sb_results *r, const char *pooled, const struct sb_series *part)
{
	struct sb_series *s = sb_results_series(r, pooled, part->metric);

	if (!s)
		return -ENOMEM;
	sb_stats_merge(&s->stats, &part->stats);
	s->errors += part->errors;
	return sb_hist_merge(&s->hist, &part->hist) ? sb_err(ENOMEM, "pooling %s", pooled) : 0;
}

int sb_results_pool(struct sb_results *r, const char *pooled, const char *const *phases)
{
	unsigned int count = r->count; /* pooling appends */

	for (unsigned int i = 0; i < count; i++) {
		for (const char *const *phase = phases; *phase; phase++) {
			int ret = 0;

			if (!strcmp(r->series[i]->phase, *phase))
				ret = pool_one(r, pooled, r->series[i]);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static void start_row(const struct sb_results *r, const struct sb_series *s, struct sb_csv *out)
{
	sb_csv_text(out, r->kernel);
	sb_csv_text(out, r->bench);
	sb_csv_u64(out, r->boot);
	sb_csv_text(out, s->phase);
	sb_csv_text(out, s->metric->name);
}

void sb_quantiles(const struct sb_stats *stats, const struct sb_hist *hist,
		  struct sb_quantiles *q)
{
	static const double at[SB_QUANTILES] = { 0.5, 0.9, 0.99, 0.999 };

	for (int i = 0; i < SB_QUANTILES; i++) {
		/* The median of few samples is still one of them. */
		q->known[i] = hist->n && (i == SB_P50 || sb_hist_speaks(stats->n, at[i]));
		if (!q->known[i])
			continue;
		/* A bucket's middle may lie outside what was seen; the extremes are exact. */
		q->value[i] = fmin(fmax(sb_hist_quantile(hist, at[i]), stats->min), stats->max);
	}
}

void sb_csv_statistics(struct sb_csv *c, const struct sb_stats *stats, uint64_t errors,
		       const struct sb_hist *hist)
{
	struct sb_quantiles q = { 0 };

	sb_csv_u64(c, stats->n);
	sb_csv_u64(c, errors);
	if (stats->n) {
		sb_csv_double(c, stats->min);
		sb_csv_double(c, sb_stats_avg(stats));
		sb_csv_double(c, stats->max);
		sb_csv_double(c, sb_stats_var(stats));
		sb_quantiles(stats, hist, &q);
	} else {
		for (int i = 0; i < 4; i++)
			sb_csv_empty(c);
	}
	for (int i = 0; i < SB_QUANTILES; i++) {
		if (q.known[i])
			sb_csv_double(c, q.value[i]);
		else
			sb_csv_empty(c);
	}
}

int sb_results_write(const struct sb_results *r, struct sb_csv *out)
{
	sb_csv_header(out, SB_RESULTS_HEADER);
	for (unsigned int i = 0; i < r->count; i++) {
		const struct sb_series *s = r->series[i];

		start_row(r, s, out);
		sb_csv_text(out, s->metric->unit);
		sb_csv_text(out, s->metric->better);
		sb_csv_statistics(out, &s->stats, s->errors, &s->hist);
		sb_csv_end_row(out);
	}
	return sb_csv_close(out);
}

struct hist_rows {
	const struct sb_results *results;
	const struct sb_series *series;
	struct sb_csv *out;
};

static int write_bucket(const struct sb_hist_bucket *b, void *data)
{
	struct hist_rows *rows = data;

	start_row(rows->results, rows->series, rows->out);
	sb_csv_text(rows->out, rows->series->metric->unit);
	sb_csv_double(rows->out, b->low);
	sb_csv_double(rows->out, b->high);
	sb_csv_u64(rows->out, b->count);
	sb_csv_end_row(rows->out);
	return 0;
}

int sb_results_write_hist(const struct sb_results *r, struct sb_csv *out)
{
	sb_csv_header(out, SB_HIST_HEADER);
	for (unsigned int i = 0; i < r->count; i++) {
		struct hist_rows rows = { r, r->series[i], out };

		sb_hist_each(&r->series[i]->hist, write_bucket, &rows);
	}
	return sb_csv_close(out);
}

int sb_results_write_events(const struct sb_results *r, struct sb_csv *out)
{
	sb_csv_header(out, SB_EVENTS_HEADER);
	for (unsigned int i = 0; i < r->count; i++) {
		const struct sb_series *s = r->series[i];

		for (unsigned int e = 0; e < s->event_count; e++) {
			start_row(r, s, out);
			sb_csv_double(out, s->events[e].start_us);
			sb_csv_double(out, s->events[e].length);
			sb_csv_end_row(out);
		}
	}
	return sb_csv_close(out);
}

void sb_results_free(struct sb_results *r)
{
	for (unsigned int i = 0; i < r->count; i++) {
		sb_hist_free(&r->series[i]->hist);
		free(r->series[i]->events);
		free(r->series[i]);
	}
	free(r->series);
	r->series = NULL;
	r->count = 0;
}
