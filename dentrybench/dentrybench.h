/* SPDX-License-Identifier: GPL-2.0-only */
/* Parameters and state that the phases of dentrybench share. */
#ifndef DENTRYBENCH_H
#define DENTRYBENCH_H

#include "../core/bench.h"
#include "counts.h"
#include "crew.h"
#include "dirs.h"

struct dentry_params {
	struct sb_list count; /* names, or look-ups, of a phase */
	uint64_t threads;
	int layout; /* enum dentry_layout */
	const char *dir;
	int engine;	      /* index into dentry_engines */
	uint64_t name_length; /* bytes */
	uint64_t files;	      /* in each directory */
	uint64_t misses;      /* names in each directory's set of misses */
	int disturb;	      /* enum dentry_disturb */
};

enum dentry_layout { DENTRY_SHARED, DENTRY_PER_THREAD };
enum dentry_disturb { DENTRY_DISTURB_AUTO, DENTRY_DISTURB_NO, DENTRY_DISTURB_YES };

struct dentry_bench {
	char *base;	 /* folder that the user, the environment or we chose */
	char *home;	 /* this run's own folder in it; NULL = none made */
	uint32_t run_id; /* in every name */
	uint64_t random;
	uint64_t kept;	     /* of DENTRY_PROBES names missed, how many stayed cached */
	int64_t probe_moved; /* nr_negative over the probe */
};

#define DENTRY_PROBES 1000

/* Kinds of names; each has numbers of its own. */
enum {
	DENTRY_KIND_FILE = 'f',
	DENTRY_KIND_MISS = 'm',
	DENTRY_KIND_NEW = 'n',
	DENTRY_KIND_TIMED = 't',
	DENTRY_KIND_PROBE = 'p',
};

static inline struct dentry_params *dentry_params(struct sb_run *run)
{
	return run->params;
}

static inline struct dentry_bench *dentry_bench(struct sb_run *run)
{
	return run->state;
}

/* Look-ups whose latency is sampled in a run of so many: a tenth, 100,000 at most. */
uint64_t dentry_latency_samples(uint64_t count);

/* Negative dentries that a run with so many names makes at most at a time; and back. */
uint64_t dentry_names_needed(uint64_t count);
uint64_t dentry_names_fitting(uint64_t dentries);

/* Whether the file system keeps negative dentries, as far as the probe saw. */
bool dentry_keeps(struct sb_run *run);

/* What a look-up phase does instead of measuring when it does not. Returns 0 or -ENOMEM. */
int dentry_keeps_none(struct sb_run *run);

/* Misses DENTRY_PROBES names and looks what is left of them. Returns 0 or -errno. */
int dentry_probe(struct sb_run *run);

/*
 * Whether what disturbs the whole machine may be done: in a guest, or with --disturb yes, and
 * as root. Returns 0, or -SB_SKIP with the reason said.
 */
int dentry_may_disturb(struct sb_run *run);

int dentry_phase_positive_lookup(struct sb_run *run);
int dentry_phase_negative_lookup(struct sb_run *run);
int dentry_phase_negative_create(struct sb_run *run);
int dentry_phase_rmdir(struct sb_run *run);
int dentry_phase_inotify_add(struct sb_run *run);
int dentry_phase_drop_caches(struct sb_run *run);
int dentry_phase_umount(struct sb_run *run);
int dentry_phase_positive_survivors(struct sb_run *run);

#endif
