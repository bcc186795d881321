// SPDX-License-Identifier: GPL-2.0-only
/* Phase negative_create: every look-up misses a name that nobody has looked for before. */
#include <errno.h>

#include "cached.h"
#include "dentrybench.h"
#include "pass.h"

#define SAMPLES 1000

/*
 * Of names spread evenly over all, how many the dcache still has: nobody else's dentries are in
 * this count. With a directory for each thread it would take some work to know which is where.
 */
static int sample_cached(struct sb_run *run, const struct dentry_dirs *dirs)
{
	struct sb_series *s = sb_series(run, "cached");
	uint64_t sum = 0, one;
	int ret = s ? 0 : -ENOMEM;

	if (dirs->count > 1)
		return ret;
	for (uint64_t i = 0; i < SAMPLES && !ret; i++) {
		ret = dentry_cached_count(run, dirs, DENTRY_KIND_NEW, run->scale * i / SAMPLES,
					  1, &one);
		sum += ret ? 0 : one;
	}
	if (ret == -EOPNOTSUPP)
		return 0;
	return ret ? ret : sb_series_add(s, (double)sum);
}

/* The same names again: nothing may be created. */
static int second_pass(struct sb_run *run, struct dentry_crew *crew,
		       const struct dentry_task *task)
{
	struct dentry_before before;
	int ret = dentry_before_read(&before);

	sb_progress_step(&run->progress, "looking the same names up again", 0);
	for (uint64_t i = 0; i < DENTRY_INTERVALS && !ret; i++) {
		struct dentry_task part = dentry_pass_part(task, i);

		ret = dentry_pass_prime(run, crew, &part);
	}
	return ret ? ret : dentry_moved(run, &before, "second_pass", false);
}

static int measure(struct sb_run *run, const struct dentry_dirs *dirs)
{
	struct dentry_task task = { .dirs = dirs,
				    .kind = DENTRY_KIND_NEW,
				    .count = run->scale };
	struct dentry_before before;
	struct dentry_crew *crew = NULL;
	int ret = dentry_crew_start(run, &crew);

	if (!ret)
		ret = dentry_before_read(&before);
	if (!ret)
		ret = dentry_pass_rate(run, crew, &task, true);
	if (!ret)
		ret = dentry_retained(run, &before);
	if (!ret)
		ret = sample_cached(run, dirs);
	if (!ret)
		ret = second_pass(run, crew, &task);
	task.kind = DENTRY_KIND_TIMED;
	task.count = dentry_latency_samples(run->scale);
	if (!ret)
		ret = dentry_pass_latency(run, crew, &task);
	dentry_crew_end(crew);
	return ret;
}

int dentry_phase_negative_create(struct sb_run *run)
{
	struct dentry_dirs dirs;
	int ret;

	if (!dentry_keeps(run))
		return dentry_keeps_none(run);
	ret = dentry_dirs_make(run, &dirs, "create", dentry_dirs_wanted(run));
	if (!ret)
		ret = measure(run, &dirs);
	dentry_dirs_drop(&dirs);
	return ret;
}
