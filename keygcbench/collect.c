// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "../core/clock.h"
#include "../core/num.h"
#include "../core/stop.h"
#include "collect.h"
#include "idle.h"
#include "keygcbench.h"

/*
 * Each look wakes this process and may preempt the collector. With a trace the end is known
 * to the execution anyway, so that looks may be rare.
 */
#define LOOK_NS (1 * SB_NS_PER_MS)
#define LOOK_TRACED_NS (10 * SB_NS_PER_MS)
/* The collector queues itself once more after the last key: it rests when it stays quiet. */
#define REST_LOOKS 2
#define REST_NS (2 * SB_NS_PER_S)
#define REST_BLIND_NS (50 * SB_NS_PER_MS)

int collect_start(struct sb_run *run)
{
	struct keygc_state *state = keygc_state(run);

	int ret = 0;

	/* Trace files are root's. */
	owner_suspend();
	if (state->trace)
		ret = sb_wqtrace_start(state->trace);
	owner_resume(state->owner);
	return ret;
}

static bool read_idle(struct sb_run *run, uint64_t *ns)
{
	bool known;

	owner_suspend();
	known = idle_read(ns);
	owner_resume(keygc_state(run)->owner);
	return known;
}

void collect_origin(struct sb_run *run, struct collection *c)
{
	c->idle_known = read_idle(run, &c->idle_origin);
	c->origin = sb_now_ns();
}

int collect_poll(struct sb_run *run)
{
	struct keygc_state *state = keygc_state(run);

	int ret = 0;

	owner_suspend();
	if (state->trace)
		ret = sb_wqtrace_poll(state->trace);
	owner_resume(state->owner);
	return ret;
}

static uint64_t look_interval(struct sb_run *run)
{
	/* Left out on purpose: to see what the rest costs, and looks are part of that. */
	bool rare = keygc_state(run)->trace || keygc_params(run)->trace;

	return rare ? LOOK_TRACED_NS : LOOK_NS;
}

static int wait_for_rest(struct sb_run *run)
{
	struct keygc_state *state = keygc_state(run);
	uint64_t begin = sb_now_ns();
	unsigned int quiet = 0;

	if (!state->trace) {
		sb_sleep_ns(REST_BLIND_NS);
		return sb_stopped() ? -EINTR : 0;
	}
	while (quiet < REST_LOOKS && sb_now_ns() - begin < REST_NS) {
		int ret;

		sb_sleep_ns(LOOK_TRACED_NS);
		ret = collect_poll(run);
		if (ret)
			return ret;
		if (sb_stopped())
			return -EINTR;
		quiet = sb_wqtrace_idle(state->trace) ? quiet + 1 : 0;
	}
	return 0;
}

int collect_wait(struct sb_run *run, struct collection *c, atomic_uint_fast64_t *floor)
{
	uint64_t began = sb_now_ns(), total = keygc_state(run)->set.keys;
	uint64_t limit = (uint64_t)(keygc_params(run)->timeout * SB_NS_PER_S);

	sb_progress_step(&run->progress, "collecting", total);
	for (;;) {
		uint64_t now = sb_now_ns();
		int ret = quota_beyond(keygc_state(run)->owner, atomic_load(floor), &c->left);

		if (!ret)
			ret = collect_poll(run);
		if (ret)
			return ret;
		if (!c->left) {
			c->gone = now;
			c->idle_known = c->idle_known && read_idle(run, &c->idle_gone);
			return wait_for_rest(run);
		}
		if (sb_stopped())
			return -EINTR;
		if (now - began > limit)
			return 0;
		sb_progress_at(&run->progress, total > c->left ? total - c->left : 0);
		sb_sleep_ns(look_interval(run));
	}
}

static double since(uint64_t origin, uint64_t ns)
{
	return ns >= origin ? sb_us(ns - origin) : -sb_us(origin - ns);
}

/* Samples of one execution. A queueing that was not seen gives no gc_queue. */
static int add_execution(struct sb_run *run, const struct collection *c,
			 const struct sb_wq_exec *e)
{
	struct sb_series *work = sb_series(run, "gc_work"), *queue = sb_series(run, "gc_queue");
	struct sb_series *cpu = sb_series(run, "gc_work_cpu");
	int ret;

	if (!work || !queue || !cpu)
		return -ENOMEM;
	ret = sb_series_add_at(work, since(c->origin, e->start), sb_us(e->end - e->start));
	if (!ret)
		ret = sb_series_add(cpu, sb_us(e->cpu));
	if (!ret && e->queued)
		ret = sb_series_add(queue, sb_us(e->start - e->queued));
	return ret;
}

/*
 * The look that found nothing came after the execution that destroyed the last key, so the
 * last one that had begun by then ended the drain; without a trace, the look itself did.
 */
static uint64_t drain_end(const struct collection *c, const struct sb_wq_exec *execs,
			  size_t count)
{
	for (size_t i = count; i-- > 0;)
		if (execs[i].start <= c->gone)
			return execs[i].end;
	return c->gone;
}

/*
 * The timer that starts the collection of expired keys is late by up to 1/8 of its delay (the
 * timer wheel's rounding), which is not the collector's doing: count from its queueing.
 */
static uint64_t drain_begin(const struct collection *c, const struct sb_wq_exec *execs,
			    size_t count)
{
	return count && execs[0].queued > c->origin ? execs[0].queued : c->origin;
}

static int add_drain(struct sb_run *run, const struct collection *c,
		     const struct sb_wq_exec *execs, size_t count)
{
	struct sb_series *drain = sb_series(run, "drain");

	if (!drain)
		return -ENOMEM;
	if (c->gone)
		return sb_series_add(
			drain, since(drain_begin(c, execs, count), drain_end(c, execs, count)));
	drain->errors = c->left;
	return 0;
}

/* Whatever ran: the collector, what RCU frees for it, and the process that lets the keys go. */
static int add_all_cpu(struct sb_run *run, const struct collection *c)
{
	uint64_t busy = c->gone - c->origin, idle = c->idle_gone - c->idle_origin;

	if (!c->gone || !c->idle_known || idle > busy)
		return 0;
	return sb_sample(run, "all_cpu",
			 (double)(busy - idle) / (double)keygc_state(run)->set.keys);
}

int collect_complete(struct sb_run *run, const struct collection *c)
{
	char left[SB_NUM_LEN], all[SB_NUM_LEN];

	if (c->gone)
		return 0;
	sb_progress_clear(&run->progress);
	sb_msg("%s: %s of %s keys are still there after %g s: the collector has lost them, or "
	       "--timeout is too short",
	       run->label, sb_num_grouped(left, c->left),
	       sb_num_grouped(all, keygc_state(run)->set.keys), keygc_params(run)->timeout);
	return -ETIMEDOUT;
}

static int add_executions(struct sb_run *run, const struct collection *c,
			  const struct sb_wq_exec *execs, size_t count)
{
	uint64_t cpu = 0;
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++) {
		ret = add_execution(run, c, &execs[i]);
		cpu += execs[i].cpu;
	}
	if (!ret)
		ret = sb_sample(run, "gc_passes", (double)count);
	/* No executions seen, or keys left: not what the collection of all of them costs. */
	if (!ret && c->gone && count)
		ret = sb_sample(run, "gc_cpu",
				(double)cpu / (double)keygc_state(run)->set.keys);
	return ret;
}

int collect_finish(struct sb_run *run, struct collection *c)
{
	struct keygc_state *state = keygc_state(run);
	struct sb_wq_exec *execs = NULL;
	size_t count = 0;
	uint64_t lost = 0;
	int ret = 0, more;

	owner_suspend();
	if (state->trace)
		ret = sb_wqtrace_stop(state->trace, &execs, &count, &lost);
	owner_resume(state->owner);
	if (!ret && state->trace)
		ret = add_executions(run, c, execs, count);
	if (ret == -ENOMEM)
		sb_err(ret, "keeping samples");
	more = add_drain(run, c, execs, count);
	more = more ? more : add_all_cpu(run, c);
	more = more ? more : collect_complete(run, c);
	if (lost) {
		struct sb_series *work = sb_series(run, "gc_work");

		if (work)
			work->errors += lost;
		sb_progress_clear(&run->progress);
		sb_msg("%s: the kernel dropped %" PRIu64
		       " trace events: gc_* cannot be trusted",
		       run->label, lost);
		ret = ret ? ret : -EOVERFLOW;
	}
	free(execs);
	return ret ? ret : more;
}
