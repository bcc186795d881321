// SPDX-License-Identifier: GPL-2.0-only
/*
 * What dentrybench's loop costs over a bare one of fstatat(2) on names made beforehand. Rounds
 * of both take turns in one run, and the median of the rounds' ratios counts. Rates are per
 * second of CPU time, so that other load on the machine does not count.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../core/clock.h"
#include "../../dentrybench/dentrybench.h"
#include "../../dentrybench/name.h"

#define SET 1000
#define LOOKUPS 50000
#define ROUNDS 61
#define LEAST 0.95

static struct dentry_name names[SET];

static double cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / SB_NS_PER_S;
}

static double bare_round(int dir)
{
	double begin = cpu_s();
	struct stat st;

	for (unsigned int i = 0; i < LOOKUPS; i++)
		if (!fstatat(dir, names[i % SET].text, &st, 0))
			return 0;
	return LOOKUPS / (cpu_s() - begin);
}

static double benchmark_round(struct dentry_crew *crew, const struct dentry_task *task)
{
	double begin = cpu_s();
	struct dentry_tally tally;
	uint64_t elapsed;

	if (dentry_crew_do(crew, task, &tally, &elapsed) || tally.errors)
		return 0;
	return (double)tally.done / (cpu_s() - begin);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), ascending);
	return values[ROUNDS / 2];
}

static int compare(struct sb_run *run, const struct dentry_dirs *dirs)
{
	const struct dentry_task task = {
		.dirs = dirs, .kind = DENTRY_KIND_MISS, .count = LOOKUPS, .wrap = SET
	};
	double ratio[ROUNDS], bare[ROUNDS], benchmark[ROUNDS];
	struct dentry_crew *crew = NULL;
	int ret = dentry_crew_start(run, &crew);

	for (unsigned int i = 0; i < ROUNDS && !ret; i++) {
		for (unsigned int turn = 0; turn < 2; turn++) {
			if ((i + turn) % 2)
				benchmark[i] = benchmark_round(crew, &task);
			else
				bare[i] = bare_round(dirs->fd[0]);
		}
		ret = bare[i] > 0 && benchmark[i] > 0 ? 0 : -EIO;
		ratio[i] = benchmark[i] / bare[i];
	}
	dentry_crew_end(crew);
	if (ret)
		return sb_err(ret, "looking names up");
	printf("negative look-up, %d rounds of %d: bare %.0f/s, benchmark %.0f/s (CPU time), ratio %.3f (least %.2f)\n",
	       ROUNDS, LOOKUPS, median(bare), median(benchmark), median(ratio), LEAST);
	return median(ratio) >= LEAST ? 0 : -ERANGE;
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
