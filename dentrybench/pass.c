// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../core/clock.h"
#include "../core/stop.h"
#include "dentrybench.h"
#include "pass.h"

#define CLOCK_SAMPLES 1000
/* Memory still falls by more than this in such a time, for at most so many times (5 s). */
#define SETTLE_BYTES (64 << 10)
#define SETTLE_NS (25 * SB_NS_PER_MS)
#define SETTLE_TRIES 200

void dentry_settle(void)
{
	int64_t last, now;

	if (dentry_meminfo_read("SReclaimable", &last))
		return;
	for (unsigned int i = 0; i < SETTLE_TRIES && !sb_stopped(); i++) {
		sb_sleep_ns(SETTLE_NS);
		if (dentry_meminfo_read("SReclaimable", &now) || now > last - SETTLE_BYTES)
			return;
		last = now;
	}
}

/* A count that not every kernel has, or only root may read, is left out; errors are none. */
static int optional(int ret, const char *what, bool *known)
{
	*known = !ret;
	if (!ret || ret == -ENOENT || ret == -EACCES || ret == -EPERM)
		return 0;
	return sb_err(ret, "reading %s", what);
}

static int slab_read(int64_t *bytes, bool *known)
{
	return optional(dentry_slab_read(bytes), "/proc/slabinfo", known);
}

static int reclaimable_read(int64_t *bytes, bool *known)
{
	return optional(dentry_meminfo_read("SReclaimable", bytes), "/proc/meminfo", known);
}

int dentry_before_read(struct dentry_before *before)
{
	int ret;

	dentry_settle();
	ret = slab_read(&before->slab, &before->slab_known);
	ret = ret ? ret : reclaimable_read(&before->reclaimable, &before->reclaimable_known);
	return ret ? ret : dentry_state_read(&before->state);
}

int dentry_moved(struct sb_run *run, const struct dentry_before *before, const char *metric,
		 bool fell)
{
	struct dentry_state now;
	int64_t moved;
	int ret = dentry_state_read(&now);

	if (ret || !now.negative_known)
		return ret;
	moved = now.negative - before->state.negative;
	return sb_sample(run, metric, (double)(fell ? -moved : moved));
}

int dentry_retained(struct sb_run *run, const struct dentry_before *before)
{
	int64_t bytes;
	bool known;
	int ret = dentry_moved(run, before, "retained", false);

	ret = ret ? ret : slab_read(&bytes, &known);
	if (!ret && known && before->slab_known)
		ret = sb_sample(run, "dentry_slab", (double)(bytes - before->slab));
	ret = ret ? ret : reclaimable_read(&bytes, &known);
	if (!ret && known && before->reclaimable_known)
		ret = sb_sample(run, "sreclaimable", (double)(bytes - before->reclaimable));
	return ret;
}

static void say_errors(struct sb_run *run, const struct dentry_task *task,
		       const struct dentry_tally *tally)
{
	sb_progress_clear(&run->progress);
	if (tally->err)
		sb_err(tally->err, "%s: %" PRIu64 " of %" PRIu64 " look-ups failed, the first",
		       run->label, tally->errors, tally->done);
	else
		sb_msg("%s: %" PRIu64 " of %" PRIu64 " names %s", run->label, tally->errors,
		       tally->done, task->hit ? "are not there" : "exist, and should not");
}

int dentry_pass_prime(struct sb_run *run, struct dentry_crew *crew,
		      const struct dentry_task *task)
{
	struct dentry_tally tally;
	uint64_t elapsed;
	int ret = dentry_crew_do(crew, task, &tally, &elapsed);

	if (ret || !tally.errors)
		return ret;
	say_errors(run, task, &tally);
	return tally.err ? tally.err : -EEXIST;
}

/* nr_negative, and the limit that a kernel may have for it, on the phase's time line. */
static int mark(struct sb_run *run, double at_us, uint64_t limit)
{
	struct sb_series *count = sb_series(run, "nr_negative");
	struct sb_series *line = limit ? sb_series(run, "negative_limit") : NULL;
	struct dentry_state now;
	int ret = dentry_state_read(&now);

	if (!ret && (!count || (limit && !line)))
		ret = -ENOMEM;
	if (!ret && now.negative_known)
		ret = sb_series_add_at(count, at_us, (double)now.negative);
	if (!ret && limit)
		ret = sb_series_add_at(line, at_us, (double)limit);
	return ret;
}

struct dentry_task dentry_pass_part(const struct dentry_task *task, uint64_t i)
{
	uint64_t done = task->count * i / DENTRY_INTERVALS;
	struct dentry_task part = *task;

	part.first = task->first + done;
	part.count = task->count * (i + 1) / DENTRY_INTERVALS - done;
	return part;
}

int dentry_pass_rate(struct sb_run *run, struct dentry_crew *crew,
		     const struct dentry_task *task, bool timeline)
{
	uint64_t limit = timeline ? dentry_limit_read() : 0, done = 0;
	struct sb_series *rate = sb_series(run, "rate");
	double at_us = 0;
	int ret = rate ? 0 : -ENOMEM;

	sb_progress_step(&run->progress, "looking names up", task->count);
	if (!ret && timeline)
		ret = mark(run, at_us, limit);
	for (uint64_t i = 0; i < DENTRY_INTERVALS && !ret; i++) {
		struct dentry_task part = dentry_pass_part(task, i);
		struct dentry_tally tally;
		uint64_t elapsed;

		ret = dentry_crew_do(crew, &part, &tally, &elapsed);
		done += part.count;
		if (ret)
			break;
		if (tally.errors && !rate->errors)
			say_errors(run, task, &tally);
		rate->errors += tally.errors;
		at_us += sb_us(elapsed);
		/* An interval with failures is no sample of anything. */
		if (!tally.errors)
			ret = sb_series_add(rate,
					    (double)part.count * SB_NS_PER_S / (double)elapsed);
		if (!ret && timeline)
			ret = mark(run, at_us, limit);
		sb_progress_at(&run->progress, done);
	}
	return ret;
}

/* What the clock adds to each sample of latency. */
static int sample_clock(struct sb_run *run)
{
	struct sb_series *cost = sb_series(run, "clock");
	int ret = cost ? 0 : -ENOMEM;

	for (unsigned int i = 0; i < CLOCK_SAMPLES && !ret; i++) {
		uint64_t begin = sb_now_ns();

		ret = sb_series_add(cost, (double)(sb_now_ns() - begin));
	}
	return ret;
}

int dentry_pass_latency(struct sb_run *run, struct dentry_crew *crew,
			const struct dentry_task *task)
{
	struct sb_series *latency = sb_series(run, "latency");
	struct dentry_task timed = *task;
	struct dentry_tally tally;
	uint64_t elapsed;
	int ret = latency ? 0 : -ENOMEM;

	sb_progress_step(&run->progress, "timing look-ups", 0);
	timed.ns = malloc(task->count * sizeof(*timed.ns));
	if (!timed.ns)
		return sb_err(ENOMEM, "samples of latency");
	if (!ret)
		ret = dentry_crew_do(crew, &timed, &tally, &elapsed);
	for (uint64_t i = 0; i < task->count && !ret; i++)
		if (timed.ns[i] != DENTRY_NO_TIME)
			ret = sb_series_add(latency, (double)timed.ns[i]);
	if (!ret)
		latency->errors += tally.errors;
	free(timed.ns);
	return ret ? ret : sample_clock(run);
}
