/* SPDX-License-Identifier: GPL-2.0-only */
/* From trace events of a work function to its executions: pure arithmetic, no tracing. */
#ifndef SB_WQEXEC_H
#define SB_WQEXEC_H

#include <stddef.h>
#include <stdint.h>

enum sb_wq_kind {
	SB_WQ_QUEUE, /* the work was queued (it was not pending before) */
	SB_WQ_START, /* worker pid begins to execute it */
	SB_WQ_END,
	SB_WQ_OUT, /* pid leaves its CPU */
	SB_WQ_IN,  /* pid gets a CPU */
	SB_WQ_IRQ, /* an interrupt or softirq begins on top of pid */
	SB_WQ_IRQ_END,
};

struct sb_wq_event {
	uint64_t ts;  /* ns */
	uint64_t seq; /* order of arrival: settles equal times */
	int32_t pid;
	enum sb_wq_kind kind;
};

/* One execution of the work function; all in ns. */
struct sb_wq_exec {
	uint64_t queued; /* 0 = the queueing was not seen */
	uint64_t start, end;
	/*
	 * CPU time of the function itself: the span less the time its worker was off the CPU
	 * and less the interrupts and softirqs that ran on top of it. This is what does not
	 * change with timer phase or with other tasks.
	 */
	uint64_t cpu;
};

/*
 * Sorts events in place (buffers of several CPUs arrive out of order) and pairs them.
 * Executions that are cut off at either end are left out. *execs is to be freed.
 * Returns 0 or -ENOMEM.
 */
int sb_wq_executions(struct sb_wq_event *events, size_t count, struct sb_wq_exec **execs,
		     size_t *exec_count);

#endif
