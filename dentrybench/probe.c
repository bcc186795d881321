// SPDX-License-Identifier: GPL-2.0-only
/* Whether the file system keeps negative dentries at all: tmpfs and ramfs do not. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "../core/sysctl.h"
#include "cached.h"
#include "dentrybench.h"
#include "pass.h"

static int look(struct sb_run *run, const struct dentry_dirs *dirs)
{
	struct dentry_bench *b = dentry_bench(run);
	struct dentry_tally tally = { 0 };
	struct dentry_state before, after;
	const struct dentry_span span = {
		.dir = dirs->fd[0],
		.kind = DENTRY_KIND_PROBE,
		.run_id = b->run_id,
		.name_length = (unsigned int)dentry_params(run)->name_length,
		.count = DENTRY_PROBES,
	};
	int ret = dentry_state_read(&before);

	if (ret)
		return ret;
	dentry_engine_sync.look_up(NULL, &span, &tally);
	if (tally.errors)
		return sb_err(tally.err ? tally.err : EEXIST,
			      "%s: %" PRIu64 " of %d names that cannot exist", b->home,
			      tally.errors, DENTRY_PROBES);
	ret = dentry_state_read(&after);
	if (ret)
		return ret;
	b->probe_moved = after.negative - before.negative;
	ret = dentry_cached_count(run, dirs, DENTRY_KIND_PROBE, 0, DENTRY_PROBES, &b->kept);
	if (ret != -EOPNOTSUPP)
		return ret;
	/* Without RESOLVE_CACHED the count of the whole machine must do, others' included. */
	if (!after.negative_known || b->probe_moved >= DENTRY_PROBES)
		b->kept = DENTRY_PROBES;
	else
		b->kept = b->probe_moved > 0 ? (uint64_t)b->probe_moved : 0;
	return 0;
}

int dentry_probe(struct sb_run *run)
{
	struct dentry_dirs dirs;
	int ret = dentry_dirs_make(run, &dirs, "probe", 1);

	if (!ret)
		ret = look(run, &dirs);
	dentry_dirs_drop(&dirs);
	return ret;
}

bool dentry_keeps(struct sb_run *run)
{
	return dentry_bench(run)->kept >= DENTRY_PROBES / 2;
}

/*
 * Rows are made all the same, without samples and with what the probe lost as errors: a file
 * system that keeps no negative dentries must not pass for a fast one.
 */
int dentry_keeps_none(struct sb_run *run)
{
	static const char *const left_out[] = { "rate", "latency" };
	const struct dentry_bench *b = dentry_bench(run);
	struct sb_series *retained;
	uint64_t enforced = 0;

	sb_sysctl_read("fs/neg-dentry-enforce", &enforced);
	sb_progress_clear(&run->progress);
	sb_msg("%s: %s keeps none: of %d names missed, %" PRIu64
	       " are cached, nr_negative moved by %" PRId64 "%s",
	       run->label, b->base, DENTRY_PROBES, b->kept, b->probe_moved,
	       enforced ? " (fs.neg-dentry-enforce is on: is the machine over its limit?)"
			: "");
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++) {
		struct sb_series *s = sb_series(run, left_out[i]);

		if (!s)
			return -ENOMEM;
		s->errors += DENTRY_PROBES - b->kept;
	}
	retained = sb_series(run, "retained");
	return retained ? sb_series_add(retained, (double)b->kept) : -ENOMEM;
}

int dentry_may_disturb(struct sb_run *run)
{
	int disturb = dentry_params(run)->disturb;

	/* A guest's init says what the guest runs on. */
	if (disturb == DENTRY_DISTURB_NO ||
	    (disturb == DENTRY_DISTURB_AUTO && !getenv("STALLBENCH_ACCEL")))
		return sb_skip(run, "disturbs the whole machine: --disturb yes allows it");
	if (geteuid())
		return sb_skip(run, "needs root");
	return 0;
}
