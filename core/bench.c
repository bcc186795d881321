// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "env.h"
#include "num.h"
#include "options.h"
#include "stop.h"
#include "stream.h"
#include "table.h"

/* Turns of an empty loop: up to about a tick, to start at another place between two ticks. */
#define PERTURB_TURNS 4000000

struct outputs {
	struct sb_csv csv, hist, events, env;
};

/* How the phases went; the worst decides the exit status. */
struct tally {
	unsigned int done, skipped, failed;
};

struct sb_series *sb_series(struct sb_run *run, const char *metric)
{
	for (const struct sb_metric *m = run->bench->metrics; m->name; m++)
		if (!strcmp(m->name, metric))
			return sb_results_series(&run->results, run->label, m);
	sb_msg("metric %s is not declared by %s", metric, run->bench->name);
	return NULL;
}

int sb_sample(struct sb_run *run, const char *metric, double value)
{
	struct sb_series *s = sb_series(run, metric);

	return s ? sb_series_add(s, value) : -ENOMEM;
}

int sb_skip(struct sb_run *run, const char *fmt, ...)
{
	char reason[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	sb_progress_clear(&run->progress);
	sb_msg("%s%sskipped: %s", run->label, *run->label ? ": " : "", reason);
	return -SB_SKIP;
}

void sb_perturb(uint64_t *state)
{
	uint64_t turns = sb_random(state) % PERTURB_TURNS;

	for (volatile uint64_t i = 0; i < turns; i++)
		;
}

static bool on_demand(const struct sb_bench *bench, const char *phase)
{
	for (const char *const *name = bench->on_demand; name && *name; name++)
		if (!strcmp(*name, phase))
			return true;
	return false;
}

static int list_phases(const struct sb_bench *bench)
{
	for (const struct sb_phase *p = bench->phases; p->name; p++)
		printf("%s\t%s%s\n", p->name, p->help,
		       on_demand(bench, p->name) ? " (only when named, or in full)" : "");
	for (const struct sb_pool *p = bench->pools; p && p->name; p++)
		printf("%s\t%s\n", p->name, p->help);
	return sb_flush(stdout, "the phases");
}

static int list_metrics(const struct sb_bench *bench)
{
	struct sb_csv out;
	int ret = sb_csv_open(&out, "-");

	if (ret)
		return ret;
	sb_csv_header(&out, SB_METRICS_HEADER);
	for (const struct sb_metric *m = bench->metrics; m->name; m++) {
		sb_csv_text(&out, bench->name);
		sb_csv_text(&out, m->name);
		sb_csv_text(&out, m->unit);
		sb_csv_text(&out, m->better);
		sb_csv_text(&out, m->primary ? m->primary : "");
		sb_csv_text(&out, m->plot ? m->plot : "");
		if (m->wobble > 0)
			sb_csv_double(&out, m->wobble);
		else
			sb_csv_empty(&out);
		sb_csv_text(&out, m->help);
		sb_csv_end_row(&out);
	}
	return sb_csv_close(&out);
}

/* Opened before anything is measured: a path that cannot be written must not cost a run. */
static int open_outputs(struct outputs *out, const struct sb_common_options *common)
{
	int ret = common->csv ? sb_csv_open(&out->csv, common->csv) : 0;

	if (!ret && common->hist)
		ret = sb_csv_open(&out->hist, common->hist);
	if (!ret && common->events)
		ret = sb_csv_open(&out->events, common->events);
	if (!ret && common->env)
		ret = sb_csv_open(&out->env, common->env);
	return ret;
}

/* Writes what there is; the first error counts, the others are still tried. */
static int write_outputs(struct outputs *out, const struct sb_results *r)
{
	int ret = out->csv.file ? sb_results_write(r, &out->csv) : 0;
	int more = out->hist.file ? sb_results_write_hist(r, &out->hist) : 0;

	ret = ret ? ret : more;
	more = out->events.file ? sb_results_write_events(r, &out->events) : 0;
	return ret ? ret : more;
}

static int check_needs(struct sb_run *run)
{
	char why[256];

	for (const struct sb_need *need = run->bench->needs; need && need->check; need++)
		if (need->check(why, sizeof(why)))
			return sb_skip(run, "%s", why);
	return 0;
}

static const struct sb_list *scale_values(const struct sb_run *run)
{
	for (const struct sb_option *o = run->bench->options; o->name; o++)
		if (run->bench->scale && !strcmp(o->name, run->bench->scale))
			return (void *)((char *)run->params + o->offset);
	return NULL;
}

static void set_label(struct sb_run *run, const char *phase, bool scaling)
{
	if (scaling)
		snprintf(run->label, sizeof(run->label), "%s/%" PRIu64, phase, run->scale);
	else
		snprintf(run->label, sizeof(run->label), "%s", phase);
}

static void run_phase(struct sb_run *run, const struct sb_phase *phase, bool scaling,
		      struct tally *tally)
{
	int ret;

	set_label(run, phase->name, scaling);
	sb_progress_phase(&run->progress, run->bench->name, run->label, run->quiet);
	ret = phase->run(run);
	if (sb_stopped())
		sb_progress_end(&run->progress, "interrupted");
	else if (ret == -SB_SKIP)
		sb_progress_end(&run->progress, "skipped");
	else
		sb_progress_end(&run->progress, ret ? "failed" : "done");
	tally->done += !ret;
	tally->skipped += ret == -SB_SKIP;
	tally->failed += ret && ret != -SB_SKIP;
	run->label[0] = '\0';
}

/* A pool is wanted when it is named, or nothing is; it brings its parts with it. */
static bool phase_wanted(const struct sb_run *run, const char *list, const char *phase)
{
	if (!list)
		return !on_demand(run->bench, phase) || run->profile == SB_FULL;
	if (sb_list_has(list, phase))
		return true;
	for (const struct sb_pool *p = run->bench->pools; p && p->name; p++) {
		if (!sb_list_has(list, p->name))
			continue;
		for (const char *const *part = p->phases; *part; part++)
			if (!strcmp(*part, phase))
				return true;
	}
	return false;
}

static int pool_phases(struct sb_run *run, const char *list, bool scaling)
{
	int ret = 0;

	for (const struct sb_pool *p = run->bench->pools; p && p->name && !ret; p++) {
		char labels[8][SB_PHASE_LEN];
		const char *parts[9] = { NULL };
		unsigned int n = 0;

		if (!sb_list_has(list, p->name))
			continue;
		for (; n < 8 && p->phases[n]; n++) {
			set_label(run, p->phases[n], scaling);
			memcpy(labels[n], run->label, sizeof(labels[n]));
			parts[n] = labels[n];
		}
		set_label(run, p->name, scaling);
		ret = sb_results_pool(&run->results, run->label, parts);
	}
	run->label[0] = '\0';
	return ret;
}

static int run_scale(struct sb_run *run, const char *list, bool scaling, bool first,
		     struct tally *tally)
{
	unsigned int bad = tally->failed + tally->skipped;

	for (const struct sb_phase *p = run->bench->phases; p->name && !sb_stopped(); p++) {
		bool once = on_demand(run->bench, p->name);

		if (phase_wanted(run, list, p->name) && (first || !once))
			run_phase(run, p, scaling && !once, tally);
	}
	/* An unfinished part would make the pool look like less than it is. */
	if (sb_stopped() || tally->failed + tally->skipped > bad)
		return 0;
	return pool_phases(run, list, scaling);
}

static int run_all(struct sb_run *run, const char *list, struct tally *tally)
{
	const struct sb_list *scale = scale_values(run);
	int ret = 0;

	for (unsigned int i = 0; i < (scale ? scale->count : 1) && !ret && !sb_stopped(); i++) {
		run->scale = scale ? scale->value[i] : 0;
		ret = run_scale(run, list, scale && scale->count > 1, i == 0, tally);
	}
	return ret;
}

/* Series of the metrics [from, to) of the benchmark's table, in that order. */
static unsigned int table_rows(const struct sb_run *run, unsigned int from, unsigned int to,
			       struct sb_table_row *rows, struct sb_quantiles *q)
{
	const struct sb_metric *metrics = run->bench->metrics;
	unsigned int n = 0;

	for (unsigned int m = from; m < to && metrics[m].name; m++) {
		for (unsigned int i = 0; i < run->results.count; i++) {
			const struct sb_series *s = run->results.series[i];

			if (s->metric != &metrics[m])
				continue;
			sb_quantiles(&s->stats, &s->hist, &q[n]);
			rows[n] = (struct sb_table_row){
				.phase = s->phase,
				.metric = s->metric->name,
				.unit = s->metric->unit,
				.stats = &s->stats,
				.errors = s->errors,
				.p50 = q[n].known[SB_P50] ? &q[n].value[SB_P50] : NULL,
				.p99 = q[n].known[SB_P99] ? &q[n].value[SB_P99] : NULL,
			};
			n++;
		}
	}
	return n;
}

/* The first metric is the published one; the rest follows in its own units. */
static int print_tables(const struct sb_run *run)
{
	struct sb_table_row *rows = calloc(run->results.count + 1, sizeof(*rows));
	struct sb_quantiles *q = calloc(run->results.count + 1, sizeof(*q));
	const char *clock = getenv("STALLBENCH_CLOCK");
	char title[128];
	int ret = 0;

	if (rows && q) {
		snprintf(title, sizeof(title), "%s, kernel %s, %s time", run->bench->name,
			 run->results.kernel, clock ? clock : "real");
		sb_table_published(stdout, title, rows, table_rows(run, 0, 1, rows, q));
		sb_table_aligned(stdout, rows, table_rows(run, 1, UINT_MAX, rows, q));
		ret = sb_flush(stdout, "the table to standard output");
	} else {
		ret = sb_err(ENOMEM, "printing the table");
	}
	free(rows);
	free(q);
	return ret;
}

/* What could not be put back is a failure, never wrong usage, whatever its errno. */
static int not_cleaned(int ret)
{
	return ret ? -EIO : 0;
}

/* Everything between the opened outputs and their writing. Returns 0, -SB_SKIP or -errno. */
static int measure(struct sb_run *run, const char *phases, struct tally *tally)
{
	int ret = check_needs(run), more = 0;

	if (!ret && run->bench->prepare)
		ret = run->bench->prepare(run);
	if (!ret)
		ret = run_all(run, phases, tally);
	if (run->bench->finish)
		more = run->bench->finish(run);
	return ret ? ret : not_cleaned(more);
}

static int exit_status(int ret, const struct tally *tally)
{
	if (sb_stopped())
		return SB_EXIT_SIGNAL + sb_stopped();
	if (ret == -EINVAL || ret == -EBUSY)
		return SB_EXIT_USAGE;
	if (ret == -SB_SKIP)
		return SB_EXIT_SKIPPED;
	if (ret || tally->failed)
		return SB_EXIT_FAILED;
	return tally->done ? SB_EXIT_OK : SB_EXIT_SKIPPED;
}

static int run_bench(struct sb_run *run, const struct sb_common_options *common)
{
	struct outputs out = { 0 };
	struct tally tally = { 0 };
	int ret, more;

	ret = open_outputs(&out, common);
	if (ret)
		return SB_EXIT_FAILED;
	if (out.env.file) {
		ret = sb_env_write(&out.env, run->bench->facts, common->fact, common->facts);
		if (ret)
			return SB_EXIT_FAILED;
	}
	ret = sb_sysctl_open(&run->sysctls, run->bench->sysctls);
	if (ret)
		return SB_EXIT_USAGE;
	ret = measure(run, common->phases, &tally);
	more = sb_sysctl_restore(&run->sysctls);
	ret = ret ? ret : not_cleaned(more);
	more = write_outputs(&out, &run->results);
	if (!more && !run->quiet && !(common->csv && !strcmp(common->csv, "-")))
		more = print_tables(run);
	return exit_status(ret ? ret : more, &tally);
}

int sb_bench_main(const struct sb_bench *bench, int argc, char **argv)
{
	struct sb_run run = { .bench = bench };
	struct sb_common_options common;
	int status;

	run.params = calloc(1, bench->params_size);
	if (!run.params)
		return sb_err(ENOMEM, "starting") ? SB_EXIT_FAILED : 0;
	status = sb_options_parse(&run, &common, argc, argv);
	if (status)
		goto out;
	if (common.list_phases || common.list_metrics) {
		int ret = common.list_phases ? list_phases(bench) : 0;

		if (!ret && common.list_metrics)
			ret = list_metrics(bench);
		status = ret ? SB_EXIT_FAILED : SB_EXIT_OK;
		goto out;
	}
	run.results = (struct sb_results){ .kernel = common.kernel,
					   .bench = bench->name,
					   .boot = common.boot };
	status = sb_stop_install() ? SB_EXIT_FAILED : run_bench(&run, &common);
out:
	sb_results_free(&run.results);
	free(run.params);
	return status;
}
