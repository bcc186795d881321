/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contract between the core and a benchmark. A benchmark is a folder with one struct
 * sb_bench and a function per phase; parsing, skipping, sysctls, signals, progress and files
 * are done here, once.
 */
#ifndef SB_BENCH_H
#define SB_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "msg.h"
#include "progress.h"
#include "random.h"
#include "results.h"
#include "sysctl.h"

enum sb_profile { SB_QUICK, SB_STANDARD, SB_FULL, SB_PROFILES };

enum sb_option_type {
	SB_OPT_U64,    /* uint64_t */
	SB_OPT_DOUBLE, /* double */
	SB_OPT_LIST,   /* struct sb_list of whole numbers */
	SB_OPT_CHOICE, /* int: index into choices */
	SB_OPT_TEXT,   /* const char *; NULL when not given and there is no default */
};

#define SB_LIST_MAX 32

struct sb_list {
	unsigned int count;
	uint64_t value[SB_LIST_MAX];
};

struct sb_option {
	const char *name; /* "keys" for --keys; NULL ends the table */
	enum sb_option_type type;
	size_t offset;	  /* of the value in the benchmark's parameters */
	const char *unit; /* for people: "keys", "s" */
	double min, max;  /* both allowed */
	const char *const *choices;
	/*
	 * Text as a user would give it; the second and third fall back on the first. Without a
	 * first one the value stays all zeros, so that a list is empty.
	 */
	const char *defaults[SB_PROFILES];
	const char *help;
};

struct sb_run;

struct sb_phase {
	const char *name; /* NULL ends the table */
	const char *help;
	/*
	 * Measures at sb_run.scale and adds to the series of sb_run.label. Returns 0, a
	 * -errno after a message, or -SB_SKIP after sb_skip().
	 */
	int (*run)(struct sb_run *run);
};

/* A phase that is not run: it pools the samples of others. */
struct sb_pool {
	const char *name; /* NULL ends the table */
	const char *help;
	const char *const *phases;
};

/* Something without which the benchmark cannot run here at all. */
struct sb_need {
	/* Returns 0, or -errno with a reason that says what is missing and why. */
	int (*check)(char *why, size_t why_len);
};

struct sb_bench {
	const char *name;
	const char *summary; /* one sentence */
	const struct sb_option *options;
	const struct sb_phase *phases;
	/*
	 * Names of phases that cost so much that they only run when they are named, or with
	 * --profile full; and once, for they do not look at sb_run.scale. Or NULL.
	 */
	const char *const *on_demand;
	const struct sb_pool *pools;	 /* or NULL */
	const struct sb_metric *metrics; /* ended by a NULL name */
	const struct sb_need *needs;	 /* ended by a NULL check */
	const char *const *sysctls;	 /* that may be changed, below /proc/sys */
	/* To record in env.csv: sysctls "kernel/panic", module parameters "MODULE.PARAMETER".
	 */
	const char *const *facts;
	const char *scale; /* name of the SB_OPT_LIST option that phases repeat over */
	size_t params_size;
	/* Both optional. prepare returns 0, -SB_SKIP, or -errno after a message (-EINVAL:
	 * usage); finish, which is called in any case, 0 or -errno after a message. */
	int (*prepare)(struct sb_run *run);
	int (*finish)(struct sb_run *run);
};

#define SB_SKIP 4095 /* beyond any errno */

/* The one context of a run. */
struct sb_run {
	const struct sb_bench *bench;
	void *params; /* the benchmark's options, params_size bytes */
	void *state;  /* the benchmark's own */
	struct sb_results results;
	struct sb_sysctl_guard sysctls;
	struct sb_progress progress;
	enum sb_profile profile;
	uint64_t seed;		  /* perturbation; 0 = none */
	uint64_t scale;		  /* value of the scale option in this round */
	char label[SB_PHASE_LEN]; /* "unused", or "unused/100000" in a scaling run */
	bool quiet;
};

/* main() of every benchmark: parses, runs, writes; returns the exit status. */
int sb_bench_main(const struct sb_bench *bench, int argc, char **argv);

/* The series of the present phase for a metric the benchmark declares; NULL when memory is out.
 */
struct sb_series *sb_series(struct sb_run *run, const char *metric);

/* Adds a sample, in the metric's unit, to that series. Returns 0 or -ENOMEM. */
int sb_sample(struct sb_run *run, const char *metric, double value);

/* Says why a phase, or the benchmark, is left out; returns -SB_SKIP. */
int sb_skip(struct sb_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A seeded delay of up to a tick or so: runs sample the phase of the timer and yet repeat. */
void sb_perturb(uint64_t *state);

#endif
