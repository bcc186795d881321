/* SPDX-License-Identifier: GPL-2.0-only */
/* What a benchmark measured: one series per phase and metric, written as results.csv and
 * hist.csv. */
#ifndef SB_RESULTS_H
#define SB_RESULTS_H

#include <stdint.h>

#include "csv.h"
#include "hist.h"
#include "stats.h"

#define SB_RESULTS_HEADER \
	"kernel,bench,boot,phase,metric,unit,better,n,errors,min,avg,max,var,p50,p90,p99,p999"
#define SB_HIST_HEADER "kernel,bench,boot,phase,metric,unit,low,high,count"
#define SB_EVENTS_HEADER "kernel,bench,boot,phase,metric,start_us,length"
#define SB_METRICS_HEADER "bench,metric,unit,better,primary,plot,wobble_percent,help"

#define SB_PHASE_LEN 64

struct sb_metric {
	const char *name;
	const char *unit;    /* us, ns, s, 1/s, count, bytes, % */
	const char *better;  /* lower, higher, none */
	const char *primary; /* statistics that gate a merge, "max total", or NULL */
	/*
	 * How it is drawn, any of: "distribution" over all samples, "timeline" of executions,
	 * "latency" of probes over the same time, a "series" of counts over it; its primary
	 * figures as "bars", kernel by kernel, or as a "sweep" against a boot parameter; or
	 * NULL.
	 */
	const char *plot;
	/*
	 * How far perturbed boots of one kernel moved its gating figures in virtual time, in
	 * percent, (max - min) / mean: what a comparison of single boots is held against.
	 * 0 = not measured.
	 */
	double wobble;
	const char *help;
};

/* A sample with its place on the phase's time line, for plots. */
struct sb_event {
	double start_us;
	double length; /* in the metric's unit */
};

#define SB_EVENTS_MAX 8192

struct sb_series {
	const struct sb_metric *metric;
	char phase[SB_PHASE_LEN];
	struct sb_stats stats;
	struct sb_hist hist;
	uint64_t errors; /* failed calls: counted, never timed */
	struct sb_event *events;
	unsigned int event_count;
	uint64_t stride, skipped; /* each kept event is the longest of stride */
};

struct sb_results {
	const char *kernel, *bench;
	uint64_t boot;
	struct sb_series **series;
	unsigned int count;
};

/* Finds or makes the series of a phase and metric. NULL after a message when memory is out. */
struct sb_series *sb_results_series(struct sb_results *r, const char *phase,
				    const struct sb_metric *metric);

/* Adds a sample in the metric's unit. Returns 0 or -ENOMEM. */
int sb_series_add(struct sb_series *s, double value);

/*
 * Adds a sample and remembers when it began, in us since the phase's origin. Of a long series
 * only the longest of every few events is kept, so that peaks survive in the plots.
 */
int sb_series_add_at(struct sb_series *s, double start_us, double value);

/* Appends the pool of all series of one metric whose phases are listed (ended by NULL). */
int sb_results_pool(struct sb_results *r, const char *pooled, const char *const *phases);

/* Each writes one whole file. Return 0 or -errno after a message. */
int sb_results_write(const struct sb_results *r, struct sb_csv *out);
int sb_results_write_hist(const struct sb_results *r, struct sb_csv *out);
int sb_results_write_events(const struct sb_results *r, struct sb_csv *out);

enum { SB_P50, SB_P90, SB_P99, SB_P999, SB_QUANTILES };

struct sb_quantiles {
	bool known[SB_QUANTILES]; /* enough samples to speak of it */
	double value[SB_QUANTILES];
};

/* Quantiles of a histogram, kept within the exact extremes. */
void sb_quantiles(const struct sb_stats *stats, const struct sb_hist *hist,
		  struct sb_quantiles *q);

/* The tail of a results.csv row from n to p999, the same wherever rows are written. */
void sb_csv_statistics(struct sb_csv *c, const struct sb_stats *stats, uint64_t errors,
		       const struct sb_hist *hist);

void sb_results_free(struct sb_results *r);

#endif
