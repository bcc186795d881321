// SPDX-License-Identifier: GPL-2.0-only
/* What dentrybench's loop costs over a bare one of fstatat(2) on names made beforehand. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../core/clock.h"
#include "../../dentrybench/dentrybench.h"
#include "../../dentrybench/name.h"
#include "overhead.h"

#define SET 1000
#define LOOKUPS 50000

static struct dentry_name names[SET];

struct looking {
	struct dentry_task task;
	struct dentry_crew *crew;
};

static double bare_round(void *data)
{
	const struct looking *l = data;
	double begin = overhead_cpu_s();
	struct stat st;

	for (unsigned int i = 0; i < LOOKUPS; i++)
		if (!fstatat(l->task.dirs->fd[0], names[i % SET].text, &st, 0))
			return 0;
	return LOOKUPS / (overhead_cpu_s() - begin);
}

static double benchmark_round(void *data)
{
	const struct looking *l = data;
	double begin = overhead_cpu_s();
	struct dentry_tally tally;
	uint64_t elapsed;

	if (dentry_crew_do(l->crew, &l->task, &tally, &elapsed) || tally.errors)
		return 0;
	return (double)tally.done / (overhead_cpu_s() - begin);
}

static int compare(struct sb_run *run, const struct dentry_dirs *dirs)
{
	const struct overhead lookup = { .what = "negative look-up",
					 .each = LOOKUPS,
					 .least = 0.95,
					 .bare = bare_round,
					 .benchmark = benchmark_round };
	struct looking l = { .task = { .dirs = dirs,
				       .kind = DENTRY_KIND_MISS,
				       .count = LOOKUPS,
				       .wrap = SET } };
	int ret = dentry_crew_start(run, &l.crew);

	ret = ret ? ret : overhead_compare(&lookup, &l);
	dentry_crew_end(l.crew);
	return ret;
}

int main(void)
{
	struct dentry_params params = { .threads = 1, .name_length = DENTRY_NAME_LEAST };
	struct dentry_bench bench = { 0 };
	struct sb_run run = { .params = &params, .state = &bench };
	struct dentry_dirs dirs = { 0 };
	int ret = dentry_home_make(&run);

	for (unsigned int i = 0; i < SET; i++) {
		dentry_name_init(&names[i], DENTRY_KIND_MISS, 0, DENTRY_NAME_LEAST);
		dentry_name_set(&names[i], i);
	}
	if (!ret)
		ret = dentry_dirs_make(&run, &dirs, "bench", 1);
	if (!ret)
		ret = compare(&run, &dirs);
	dentry_dirs_drop(&dirs);
	dentry_home_drop(&run);
	return ret ? SB_EXIT_FAILED : SB_EXIT_OK;
}
