/* SPDX-License-Identifier: GPL-2.0-only */
/* The passes of a look-up phase: priming, rate, latency; and what they left in memory. */
#ifndef DENTRY_PASS_H
#define DENTRY_PASS_H

#include "crew.h"

#define DENTRY_INTERVALS 100

/* What the kernel counted before a phase. */
struct dentry_before {
	struct dentry_state state;
	int64_t slab, reclaimable;
	bool slab_known, reclaimable_known;
};

/*
 * Waits until the dentries of an earlier phase are really gone: the kernel frees them in RCU
 * callbacks, long after the call that dropped them, and would do so in the middle of ours.
 */
void dentry_settle(void);

/* Settles, and reads. Returns 0 or -errno after a message. */
int dentry_before_read(struct dentry_before *before);

/*
 * Adds to retained, slab and sreclaimable what has come on top since before. What is not known
 * here is left out. Returns 0 or -errno.
 */
int dentry_retained(struct sb_run *run, const struct dentry_before *before);

/* Change of nr_negative since before as the one sample of a metric. Returns 0 or -errno. */
int dentry_moved(struct sb_run *run, const struct dentry_before *before, const char *metric,
		 bool fell);

/*
 * Does a task without timing it. Returns 0, -EINTR, or after a message what the first look-up
 * that failed came to; -EEXIST where a name was found that should not be.
 */
int dentry_pass_prime(struct sb_run *run, struct dentry_crew *crew,
		      const struct dentry_task *task);

/* Part i of DENTRY_INTERVALS equal ones: every pass over a task gives a thread the same names.
 */
struct dentry_task dentry_pass_part(const struct dentry_task *task, uint64_t i);

/*
 * The task in DENTRY_INTERVALS equal parts: the rate of each is a sample, unless a look-up in
 * it failed. With timeline, nr_negative after each goes to the events. Returns 0, -EINTR or
 * -errno after a message.
 */
int dentry_pass_rate(struct sb_run *run, struct dentry_crew *crew,
		     const struct dentry_task *task, bool timeline);

/*
 * Every look-up of the task timed by itself, in ns, and what two readings of the clock take.
 * Returns 0, -EINTR, or -errno after a message.
 */
int dentry_pass_latency(struct sb_run *run, struct dentry_crew *crew,
			const struct dentry_task *task);

#endif
