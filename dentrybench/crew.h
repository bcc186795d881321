/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that share look-ups evenly; the calling thread is the first of them. */
#ifndef DENTRY_CREW_H
#define DENTRY_CREW_H

#include "engine.h"

struct sb_run;
struct dentry_dirs;
struct dentry_crew;

/* By the value of --engine. */
extern const struct dentry_engine *const dentry_engines[];

/* Look-ups of all threads together. Each takes one run of numbers, in its own directory. */
struct dentry_task {
	const struct dentry_dirs *dirs;
	char kind;
	uint64_t first, count, wrap; /* as in struct dentry_span */
	bool hit;
	uint64_t *ns; /* count times, or NULL */
};

/* Starts --threads threads with the engine asked for. Returns 0 or -errno after a message. */
int dentry_crew_start(struct sb_run *run, struct dentry_crew **crew);

/*
 * Does the task and waits for it. elapsed gets its time in ns, from before the first look-up
 * until the slowest thread is done. Returns 0, or -EINTR when a signal stopped it.
 */
int dentry_crew_do(struct dentry_crew *crew, const struct dentry_task *task,
		   struct dentry_tally *tally, uint64_t *elapsed);

void dentry_crew_end(struct dentry_crew *crew);

#endif
