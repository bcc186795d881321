// SPDX-License-Identifier: GPL-2.0-only

#include "../core/clock.h"
#include "../core/stop.h"
#include "dentrybench.h"
#include "effect.h"
#include "pass.h"

int dentry_effect_fill(struct sb_run *run, const struct dentry_dirs *dirs)
{
	const struct dentry_task task = { .dirs = dirs,
					  .kind = DENTRY_KIND_NEW,
					  .count = run->scale };
	struct dentry_crew *crew = NULL;
	int ret = dentry_crew_start(run, &crew);

	sb_progress_step(&run->progress, "making negative dentries", 0);
	if (!ret)
		ret = dentry_pass_prime(run, crew, &task);
	dentry_crew_end(crew);
	return ret;
}

int dentry_effect_add(struct sb_run *run, const char *metric, uint64_t ns)
{
	return sb_sample(run, metric, sb_us(ns));
}

static int call_full(struct sb_run *run, struct dentry_dirs *dirs, dentry_effect_call *call,
		     uint64_t *ns)
{
	struct dentry_before before;
	int ret = dentry_before_read(&before);

	if (!ret)
		ret = dentry_effect_fill(run, dirs);
	if (!ret)
		ret = dentry_retained(run, &before);
	if (!ret)
		ret = dentry_before_read(&before);
	if (!ret)
		ret = call(run, dirs, ns);
	return ret ? ret : dentry_moved(run, &before, "released", true);
}

static int one_round(struct sb_run *run, const char *name, bool full, dentry_effect_call *call)
{
	struct dentry_dirs dirs;
	uint64_t ns = 0;
	int ret = dentry_dirs_make(run, &dirs, name, dentry_dirs_wanted(run));

	dentry_settle();
	if (!ret)
		ret = full ? call_full(run, &dirs, call, &ns) : call(run, &dirs, &ns);
	if (!ret)
		ret = dentry_effect_add(run, full ? "stall" : "stall_none", ns);
	dentry_dirs_drop(&dirs);
	return ret;
}

int dentry_effect_run(struct sb_run *run, dentry_effect_call *call)
{
	int ret;

	if (!dentry_keeps(run))
		return sb_skip(run, "%s keeps none", dentry_bench(run)->base);
	ret = one_round(run, "none", false, call);
	return ret ? ret : one_round(run, "full", true, call);
}
