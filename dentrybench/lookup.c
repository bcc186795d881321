// SPDX-License-Identifier: GPL-2.0-only
/* Phases positive_lookup and negative_lookup: a small set of names, looked up again and again.
 */
#include <errno.h>
#include <inttypes.h>

#include "../core/stop.h"
#include "cached.h"
#include "dentrybench.h"
#include "pass.h"

/* A set that is not in the cache is looked up on disk: said, because the rate is another. */
static int check_cached(struct sb_run *run, const struct dentry_task *set,
			const struct dentry_before *before)
{
	uint64_t all = set->wrap * set->dirs->count, cached;
	struct sb_series *series = sb_series(run, "cached");
	struct dentry_state now;
	int ret = dentry_cached_count(run, set->dirs, set->kind, 0, set->wrap, &cached);

	if (!series)
		return -ENOMEM;
	if (ret && ret != -EOPNOTSUPP)
		return ret;
	if (!ret) {
		ret = sb_series_add(series, (double)cached);
	} else {
		/* Second best: others' dentries count in, too. */
		ret = dentry_state_read(&now);
		if (ret || set->hit || !now.negative_known)
			return ret;
		cached = now.negative > before->state.negative
				 ? (uint64_t)(now.negative - before->state.negative)
				 : 0;
		if (cached >= all - all / 10)
			return 0;
	}
	if (!ret && cached < all) {
		sb_progress_clear(&run->progress);
		sb_msg("%s: only %" PRIu64 " of the set's %" PRIu64
		       " names are in the dcache: the rate is not that of cached names",
		       run->label, cached, all);
	}
	return ret;
}

static int measure(struct sb_run *run, struct dentry_task *set,
		   const struct dentry_before *before)
{
	struct dentry_task task = *set;
	struct dentry_crew *crew = NULL;
	int ret = dentry_crew_start(run, &crew);

	/* With one directory per thread each walks the whole set in its own. */
	task.count = set->wrap * set->dirs->count;
	if (!ret)
		ret = dentry_pass_prime(run, crew, &task);
	if (!ret)
		ret = check_cached(run, set, before);
	task.count = run->scale;
	task.first = sb_random(&dentry_bench(run)->random) % set->wrap;
	if (!ret)
		ret = dentry_pass_rate(run, crew, &task, false);
	if (!ret)
		ret = dentry_retained(run, before);
	task.count = dentry_latency_samples(run->scale);
	if (!ret)
		ret = dentry_pass_latency(run, crew, &task);
	dentry_crew_end(crew);
	return ret;
}

int dentry_phase_positive_lookup(struct sb_run *run)
{
	uint64_t files = dentry_params(run)->files;
	struct dentry_dirs dirs;
	struct dentry_before before;
	struct dentry_task set = {
		.dirs = &dirs, .kind = DENTRY_KIND_FILE, .wrap = files, .hit = true
	};
	int ret = dentry_dirs_make(run, &dirs, "positive", dentry_dirs_wanted(run));

	if (!ret)
		ret = dentry_before_read(&before);
	if (!ret)
		ret = dentry_dirs_fill(run, &dirs, files);
	if (!ret)
		ret = measure(run, &set, &before);
	dentry_dirs_drop(&dirs);
	return ret;
}

int dentry_phase_negative_lookup(struct sb_run *run)
{
	struct dentry_dirs dirs;
	struct dentry_before before;
	struct dentry_task set = { .dirs = &dirs,
				   .kind = DENTRY_KIND_MISS,
				   .wrap = dentry_params(run)->misses };
	int ret;

	if (!dentry_keeps(run))
		return dentry_keeps_none(run);
	ret = dentry_dirs_make(run, &dirs, "negative", dentry_dirs_wanted(run));
	if (!ret)
		ret = dentry_before_read(&before);
	if (!ret)
		ret = measure(run, &set, &before);
	dentry_dirs_drop(&dirs);
	return ret;
}
