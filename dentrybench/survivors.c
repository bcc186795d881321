// SPDX-License-Identifier: GPL-2.0-only
/*
 * Phase positive_survivors: how many dentries of files that were in use are left after a flood
 * of misses that memory cannot hold. It comes in rounds, and after each so much memory is
 * reclaimed that a quarter of the flood is left: a list that is reclaimed from its old end
 * loses the files, as they are rotated once and then older than all that came later. The
 * pressure is on a memory cgroup, whose LRU lists are nobody else's.
 */
#include <errno.h>
#include <inttypes.h>

#include "../core/num.h"
#include "../core/stop.h"
#include "cached.h"
#include "cgroup.h"
#include "dentrybench.h"
#include "easy.h"
#include "pass.h"

#define ROUNDS 8
#define ROOM_SHARE 4
/*
 * Dentries are freed in RCU callbacks, so reclaim that finds nothing else sees no progress and
 * empties the list. With pages beside them it ends once it has got its pages, and scans about
 * twice the share of the dentries (seeks of 2, do_shrink_slab()). So each step, which asks for
 * some of the pages, takes a part of the dentries. The pages are replaced after it, unless it
 * got at no dentry: with less of them the next one scans a larger share.
 */
#define PAGES (16ULL << 20)
#define PAGES_LEAST (1ULL << 20)
#define STEP (512ULL << 10)
#define STEPS_MOST 200
/* Dentries are scanned in lots of 1,024 (s_shrink's batch): fewer would be rounding. */
#define COUNT_LEAST 100000
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

/* What the pressure works on. */
struct press {
	const struct dentry_cgroup *group;
	struct dentry_easy easy;
	int64_t most; /* negative dentries that may be left */
	bool missed;  /* more were, after all the steps */
};

/*
 * The pages are counted, not taken to be fewer by what was asked for: a group counts memory
 * that each CPU holds in reserve for it, and that may be all that a step gets.
 */
static int press_once(struct press *p, struct dentry_state *now)
{
	int64_t before = now->negative;
	uint64_t pages;
	int ret = dentry_cgroup_press(p->group, STEP);

	if (!ret)
		ret = dentry_state_read(now);
	if (!ret)
		ret = dentry_easy_cached(&p->easy, &pages);
	if (ret || (now->negative >= before && pages > PAGES_LEAST))
		return ret;
	return dentry_easy_read(&p->easy, STEP);
}

static int press(struct press *p)
{
	struct dentry_state now;
	int ret = dentry_state_read(&now);

	for (unsigned int i = 0; !ret && now.negative > p->most; i++) {
		if (sb_stopped())
			return -EINTR;
		if (i == STEPS_MOST) {
			p->missed = true;
			break;
		}
		ret = press_once(p, &now);
	}
	return ret;
}

static int flood(struct sb_run *run, const struct dentry_dirs *dirs, struct press *p)
{
	struct dentry_task task = { .dirs = dirs, .kind = DENTRY_KIND_NEW };
	struct dentry_crew *crew = NULL;
	int ret = dentry_crew_start(run, &crew);

	sb_progress_step(&run->progress, "making negative dentries", run->scale);
	for (uint64_t i = 0; i < ROUNDS && !ret; i++) {
		task.first = run->scale * i / ROUNDS;
		task.count = run->scale * (i + 1) / ROUNDS - task.first;
		ret = dentry_pass_prime(run, crew, &task);
		if (!ret)
			ret = press(p);
		sb_progress_at(&run->progress, task.first + task.count);
	}
	dentry_crew_end(crew);
	return ret;
}

/* Where the pressure did not get at the dentries, what is left of them says nothing. */
static int count_result(struct sb_run *run, const struct dentry_dirs *dirs,
			const struct press *p)
{
	struct sb_series *s;

	if (!p->missed)
		return count_left(run, dirs);
	sb_progress_clear(&run->progress);
	sb_msg("%s: reclaiming this process's memory does not reach its dentries", run->label);
	s = sb_series(run, "survivors");
	if (!s)
		return -ENOMEM;
	s->errors++;
	return 0;
}

static int flood_and_count(struct sb_run *run, const struct dentry_dirs *dirs,
			   const struct dentry_cgroup *group)
{
	struct press p = { .group = group };
	struct dentry_before before = { 0 };
	int ret = dentry_easy_make(&p.easy, dirs->path, PAGES + ROUNDS * STEPS_MOST * STEP);

	if (!ret)
		ret = dentry_easy_read(&p.easy, PAGES);
	if (!ret)
		ret = dentry_before_read(&before);
	p.most = before.state.negative + (int64_t)(run->scale / ROOM_SHARE);
	if (!ret)
		ret = flood(run, dirs, &p);
	if (!ret)
		ret = dentry_retained(run, &before);
	if (!ret)
		ret = count_result(run, dirs, &p);
	dentry_easy_drop(&p.easy);
	return ret;
}

static int in_group(struct sb_run *run, const struct dentry_cgroup *group)
{
	uint64_t files = dentry_params(run)->files, cached;
	struct dentry_dirs dirs;
	int ret = dentry_dirs_make(run, &dirs, "survivors", dentry_dirs_wanted(run));

	if (!ret)
		ret = dentry_dirs_fill(run, &dirs, files);
	if (!ret)
		ret = warm(run, &dirs, files);
	if (!ret)
		ret = count_cached(run, &dirs, "cached", &cached);
	if (!ret)
		ret = flood_and_count(run, &dirs, group);
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
	char least[SB_NUM_LEN];
	struct dentry_cgroup group = { 0 };
	int ret = dentry_may_disturb(run);

	if (ret)
		return ret;
	if (!dentry_keeps(run))
		return sb_skip(run, "%s keeps none", dentry_bench(run)->base);
	if (run->scale < COUNT_LEAST)
		return sb_skip(run, "needs --count %s or more, to be pressed for memory",
			       sb_num_grouped(least, COUNT_LEAST));
	if (!can_ask(run))
		return sb_skip(run, "needs openat2 with RESOLVE_CACHED (Linux 5.12)");
	ret = dentry_cgroup_enter(run, &group);
	if (!ret)
		ret = in_group(run, &group);
	dentry_cgroup_leave(&group);
	return ret;
}
