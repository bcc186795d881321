// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "wqexec.h"

/* The execution that is under way. A work item never runs twice at once, so there is one. */
struct running {
	bool active, on_cpu;
	int32_t pid;
	uint64_t since;		/* beginning of the present stretch of CPU time */
	unsigned int irq_depth; /* softirqs may be interrupted in turn */
	struct sb_wq_exec exec;
};

static int by_time(const void *a, const void *b)
{
	const struct sb_wq_event *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Ends a stretch in which the function itself ran. */
static void bank(struct running *r, uint64_t now)
{
	if (r->on_cpu && !r->irq_depth)
		r->exec.cpu += now - r->since;
	r->since = now;
}

static void on_worker_event(struct running *r, const struct sb_wq_event *e)
{
	bank(r, e->ts);
	switch (e->kind) {
	case SB_WQ_OUT:
		r->on_cpu = false;
		break;
	case SB_WQ_IN:
		r->on_cpu = true;
		break;
	case SB_WQ_IRQ:
		r->irq_depth++;
		break;
	case SB_WQ_IRQ_END:
		if (r->irq_depth)
			r->irq_depth--;
		break;
	default:
		break;
	}
}

static void begin(struct running *r, const struct sb_wq_event *e, uint64_t *queued)
{
	*r = (struct running){
		.active = true,
		.on_cpu = true,
		.pid = e->pid,
		.since = e->ts,
		.exec = { .queued = *queued, .start = e->ts },
	};
	*queued = 0;
}

int sb_wq_executions(struct sb_wq_event *events, size_t count, struct sb_wq_exec **execs,
		     size_t *exec_count)
{
	struct running r = { 0 };
	uint64_t queued = 0;
	size_t starts = 0;

	*exec_count = 0;
	qsort(events, count, sizeof(*events), by_time);
	for (size_t i = 0; i < count; i++)
		starts += events[i].kind == SB_WQ_START;
	*execs = calloc(starts ? starts : 1, sizeof(**execs));
	if (!*execs)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct sb_wq_event *e = &events[i];

		if (e->kind == SB_WQ_QUEUE) {
			queued = e->ts;
		} else if (e->kind == SB_WQ_START) {
			begin(&r, e, &queued);
		} else if (!r.active || e->pid != r.pid) {
			continue;
		} else if (e->kind == SB_WQ_END) {
			bank(&r, e->ts);
			r.exec.end = e->ts;
			r.active = false;
			(*execs)[(*exec_count)++] = r.exec;
		} else {
			on_worker_event(&r, e);
		}
	}
	return 0;
}
