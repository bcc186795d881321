/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for the collector to finish, and turning its executions into samples. */
#ifndef KEYGC_COLLECT_H
#define KEYGC_COLLECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sb_run;

/* How a collection ended. */
struct collection {
	uint64_t origin; /* ns, sb_now_ns(): when the keys were let go, or expired */
	uint64_t gone;	 /* ns: first look at which the last key was gone; 0 = never */
	uint64_t left;	 /* keys still there when the wait ended */
	/* Idle time, ns: at the origin, and when the last key was gone; no other than these. */
	uint64_t idle_origin, idle_gone;
	bool idle_known;
};

/* Begins to count: the keys are about to be let go. */
void collect_origin(struct sb_run *run, struct collection *c);

/* Begins to record the collector's executions, where that is possible. 0 or -errno. */
int collect_start(struct sb_run *run);

/*
 * Takes what has been recorded so far: to be called now and then by whatever takes long.
 * Returns 0 or -errno after a message.
 */
int collect_poll(struct sb_run *run);

/*
 * Waits until the user has no more than *floor keys and the collector has come to rest, at
 * most --timeout seconds from now. Returns 0, also when keys are left (see c->left), -EINTR,
 * or -errno after a message.
 */
int collect_wait(struct sb_run *run, struct collection *c, atomic_uint_fast64_t *floor);

/*
 * Stops recording and adds gc_work, gc_queue, gc_cpu, gc_passes and drain to the series of
 * the phase. Returns 0, or -errno after a message: events were lost, or keys are left.
 */
int collect_finish(struct sb_run *run, struct collection *c);

/* Returns 0, or -ETIMEDOUT after a message that says how many keys are still there. */
int collect_complete(struct sb_run *run, const struct collection *c);

#endif
