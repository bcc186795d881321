// SPDX-License-Identifier: GPL-2.0-only
/*
 * Phase positive_survivors: how many dentries of files in use are left after a flood of misses
 * that memory cannot hold. The pressure is a memory cgroup with room for a quarter of the
 * flood, whose LRU lists are nobody else's. It is all or nothing: dentries are freed in RCU
 * callbacks, so reclaim sees no progress and scans the whole list.
 */
#include <errno.h>
#include <inttypes.h>

#include "../core/num.h"
#include "cached.h"
#include "cgroup.h"
#include "dentrybench.h"
#include "effect.h"
#include "pass.h"
#include "room.h"

#define ROOM_SHARE 4
/* The kernel charges in lots of 64 pages for each CPU: less room would be rounding. */
#define ROOM_LEAST (4ULL << 20)
#define LOOKS 2 /* the second marks a dentry as referenced */

static int warm(struct sb_run *run, const struct dentry_dirs *dirs, uint64_t files)
{
	const struct dentry_task task = { .dirs = dirs,
					  .kind = DENTRY_KIND_FILE,
					  .count = files * dirs->count,
					  .wrap = files,
					  .hit = true };
	struct dentry_crew *crew = NULL;
	int ret = dentry_crew_start(run, &crew);

	for (unsigned int i = 0; i < LOOKS && !ret; i++)
		ret = dentry_pass_prime(run, crew, &task);
	dentry_crew_end(crew);
	return ret;
}

/* How many of the files' dentries are cached, as a sample of a metric. */
static int count_cached(struct sb_run *run, const struct dentry_dirs *dirs, const char *metric,
			uint64_t *cached)
{
	struct sb_series *s = sb_series(run, metric);
	int ret = dentry_cached_count(run, dirs, DENTRY_KIND_FILE, 0, dentry_params(run)->files,
				      cached);

	if (!s)
		return -ENOMEM;
	return ret ? ret : sb_series_add(s, (double)*cached);
}

static int count_left(struct sb_run *run, const struct dentry_dirs *dirs)
{
	struct sb_series *share = sb_series(run, "survivors_share");
	uint64_t all = dentry_params(run)->files * dirs->count, left;
	int ret = count_cached(run, dirs, "survivors", &left);

	if (!share)
		return -ENOMEM;
	return ret ? ret : sb_series_add(share, 100.0 * (double)left / (double)all);
}

static int flood(struct sb_run *run, const struct dentry_cgroup *group, uint64_t room)
{
	uint64_t files = dentry_params(run)->files, usage = 0, cached;
	struct dentry_before before;
	struct dentry_dirs dirs;
	int ret = dentry_dirs_make(run, &dirs, "survivors", dentry_dirs_wanted(run));

	if (!ret)
		ret = dentry_dirs_fill(run, &dirs, files);
	if (!ret)
		ret = warm(run, &dirs, files);
	if (!ret)
		ret = count_cached(run, &dirs, "cached", &cached);
	if (!ret)
		ret = dentry_before_read(&before);
	if (!ret)
		ret = dentry_cgroup_usage(group, &usage);
	if (!ret)
		ret = dentry_cgroup_limit(group, usage + room);
	if (!ret)
		ret = dentry_effect_fill(run, &dirs);
	if (!ret)
		ret = dentry_retained(run, &before);
	if (!ret)
		ret = count_left(run, &dirs);
	dentry_dirs_drop(&dirs);
	return ret;
}

/* Without RESOLVE_CACHED there is no way to ask without filling the cache. */
static bool can_ask(struct sb_run *run)
{
	struct dentry_dirs here;
	uint64_t cached;
	int ret = dentry_dirs_make(run, &here, "ask", 1);

	if (!ret)
		ret = dentry_cached_count(run, &here, DENTRY_KIND_FILE, 0, 1, &cached);
	dentry_dirs_drop(&here);
	return !ret;
}

int dentry_phase_positive_survivors(struct sb_run *run)
{
	unsigned int length = (unsigned int)dentry_params(run)->name_length;
	uint64_t room = run->scale / ROOM_SHARE * dentry_room_each(length);
	char least[SB_NUM_LEN];
	struct dentry_cgroup group = { 0 };
	int ret = dentry_may_disturb(run);

	if (ret)
		return ret;
	if (!dentry_keeps(run))
		return sb_skip(run, "%s keeps none", dentry_bench(run)->base);
	if (room < ROOM_LEAST)
		return sb_skip(run, "needs --count %s or more, to be pressed for memory",
			       sb_num_grouped(least, ROOM_LEAST / dentry_room_each(length) *
								     ROOM_SHARE +
							     ROOM_SHARE));
	if (!can_ask(run))
		return sb_skip(run, "needs openat2 with RESOLVE_CACHED (Linux 5.12)");
	ret = dentry_cgroup_enter(run, &group);
	if (!ret)
		ret = flood(run, &group, room);
	dentry_cgroup_leave(&group);
	return ret;
}
