/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches one work function of the kernel's workqueues, in a trace instance of its own: a
 * user's tracing is neither disturbed nor cleared.
 */
#ifndef SB_WQTRACE_H
#define SB_WQTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wqexec.h"

struct sb_wqtrace;

/*
 * Prepares to trace a work function, named as in kallsyms. Needs root and tracefs. Returns 0,
 * or -errno with the reason in why and no message: tracing is something one can do without.
 */
int sb_wqtrace_open(struct sb_wqtrace **trace, const char *function, char *why, size_t why_len);

/* Forgets what was seen and records from now on. Returns 0 or -errno after a message. */
int sb_wqtrace_start(struct sb_wqtrace *trace);

/*
 * Takes what the kernel has recorded so far; to be called often enough that nothing is lost.
 * Returns 0 or -errno after a message.
 */
int sb_wqtrace_poll(struct sb_wqtrace *trace);

/* Whether, as of the last poll, the work is neither queued nor running. */
bool sb_wqtrace_idle(const struct sb_wqtrace *trace);

/*
 * Stops recording and gives the executions seen since the start (to be freed), and how many
 * events the kernel had to drop: with any, the executions are not to be trusted.
 * Returns 0 or -errno after a message.
 */
int sb_wqtrace_stop(struct sb_wqtrace *trace, struct sb_wq_exec **execs, size_t *count,
		    uint64_t *lost);

void sb_wqtrace_close(struct sb_wqtrace *trace);

#endif
