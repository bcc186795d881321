// SPDX-License-Identifier: GPL-2.0-only
/* dentrybench: what looking names up costs, found and missed, and what a pile of misses does.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/clock.h"
#include "dentrybench.h"
#include "name.h"
#include "room.h"

#define OFFSET(field) offsetof(struct dentry_params, field)

static const char *const layouts[] = { "shared", "per-thread", NULL };
static const char *const engines[] = { "sync", "uring", NULL }; /* as dentry_engines */
static const char *const disturbs[] = { "auto", "no", "yes", NULL };

static const struct sb_option options[] = {
	{ "count",
	  SB_OPT_LIST,
	  OFFSET(count),
	  "names",
	  1000,
	  1e10,
	  NULL,
	  { "300000", "1000000", "10000000" },
	  "Look-ups of a phase, each a new name in negative_create and after; several for a "
	  "scaling run" },
	{ "threads",
	  SB_OPT_U64,
	  OFFSET(threads),
	  "threads",
	  1,
	  1024,
	  NULL,
	  { "1" },
	  "Threads that share them" },
	{ "layout",
	  SB_OPT_CHOICE,
	  OFFSET(layout),
	  NULL,
	  0,
	  0,
	  layouts,
	  { "shared" },
	  "One directory for all threads, or one each" },
	{ "dir",
	  SB_OPT_TEXT,
	  OFFSET(dir),
	  NULL,
	  0,
	  0,
	  NULL,
	  { NULL },
	  "Where the run makes its folder (default: $STALLBENCH_SCRATCH, or else /var/tmp)" },
	{ "engine",
	  SB_OPT_CHOICE,
	  OFFSET(engine),
	  NULL,
	  0,
	  0,
	  engines,
	  { "sync" },
	  "One system call for each look-up, or batches of 64 through io_uring" },
	{ "name-length",
	  SB_OPT_U64,
	  OFFSET(name_length),
	  "bytes",
	  DENTRY_NAME_LEAST,
	  DENTRY_NAME_MOST,
	  NULL,
	  { "20" },
	  "Length of the names; from 40 on the kernel stores them apart from the dentry" },
	{ "files",
	  SB_OPT_U64,
	  OFFSET(files),
	  "files",
	  1,
	  1000000,
	  NULL,
	  { "1000" },
	  "Files in each directory, for positive_lookup and positive_survivors" },
	{ "misses",
	  SB_OPT_U64,
	  OFFSET(misses),
	  "names",
	  1,
	  1000000,
	  NULL,
	  { "1000" },
	  "Missing names in each directory that negative_lookup repeats" },
	{ "disturb",
	  SB_OPT_CHOICE,
	  OFFSET(disturb),
	  NULL,
	  0,
	  0,
	  disturbs,
	  { "auto" },
	  "Run the phases that disturb the whole machine (umount, drop_caches, "
	  "positive_survivors); auto: in guests only" },
	{ 0 },
};

static const struct sb_phase phases[] = {
	{ "positive_lookup", "files that exist, again and again",
	  dentry_phase_positive_lookup },
	{ "negative_lookup", "a few missing names, again and again",
	  dentry_phase_negative_lookup },
	{ "negative_create", "missing names, each a new one", dentry_phase_negative_create },
	{ "rmdir", "removing a directory with N misses in it", dentry_phase_rmdir },
	{ "inotify_add", "watching a directory with N misses in it", dentry_phase_inotify_add },
	{ "drop_caches", "vm.drop_caches with N misses cached", dentry_phase_drop_caches },
	{ "umount", "unmounting a file system with N misses cached", dentry_phase_umount },
	{ "positive_survivors", "files' dentries after N misses under memory pressure",
	  dentry_phase_positive_survivors },
	{ 0 },
};

static const struct sb_metric metrics[] = {
	{ .name = "rate",
	  .unit = "1/s",
	  .better = "higher",
	  .primary = "avg",
	  .plot = "bars",
	  .wobble = 0.1,
	  .help = "look-ups per second of all threads, in one of 100 intervals" },
	{ .name = "latency",
	  .unit = "ns",
	  .better = "lower",
	  .help = "one look-up, in a pass of its own; with two clock readings' cost" },
	{ .name = "clock",
	  .unit = "ns",
	  .better = "none",
	  .help = "two readings of the clock with nothing between them" },
	{ .name = "cached",
	  .unit = "count",
	  .better = "none",
	  .help = "names of the set, or of 1,000 new ones, that the dcache answers" },
	{ .name = "retained",
	  .unit = "count",
	  .better = "none",
	  .help = "how much nr_negative grew" },
	{ .name = "second_pass",
	  .unit = "count",
	  .better = "none",
	  .help = "how much nr_negative grew when the same names were looked up again" },
	{ .name = "dentry_slab",
	  .unit = "bytes",
	  .better = "lower",
	  .help = "how much the dentry cache's slabs grew (/proc/slabinfo)" },
	{ .name = "sreclaimable",
	  .unit = "bytes",
	  .better = "lower",
	  .help = "how much SReclaimable in /proc/meminfo grew" },
	{ .name = "nr_negative",
	  .unit = "count",
	  .better = "none",
	  .plot = "series",
	  .help = "the machine's negative dentries, after each interval" },
	{ .name = "negative_limit",
	  .unit = "count",
	  .better = "none",
	  .plot = "series",
	  .help = "the limit on them by fs.neg-dentry-limit, if the kernel has it" },
	{ .name = "stall",
	  .unit = "us",
	  .better = "lower",
	  .primary = "max",
	  .help = "the call with N negative dentries" },
	{ .name = "stall_none",
	  .unit = "us",
	  .better = "none",
	  .help = "the same call with none" },
	{ .name = "released",
	  .unit = "count",
	  .better = "none",
	  .help = "how much nr_negative fell over the call" },
	{ .name = "survivors",
	  .unit = "count",
	  .better = "higher",
	  .primary = "avg",
	  .help = "files' dentries that are still cached" },
	{ .name = "survivors_share",
	  .unit = "%",
	  .better = "higher",
	  .help = "the same as a share of all files" },
	{ 0 },
};

static int need_dentry_state(char *why, size_t why_len)
{
	if (access("/proc/sys/fs/dentry-state", R_OK)) {
		snprintf(why, why_len, "/proc/sys/fs/dentry-state: %s", strerror(errno));
		return -errno;
	}
	return 0;
}

static const struct sb_need needs[] = { { need_dentry_state }, { 0 } };

static const char *const sysctls[] = { NULL };

static const char *const facts[] = { "fs/neg-dentry-limit", "fs/neg-dentry-enforce",
				     "vm/vfs_cache_pressure", NULL };

/* Whether the engine works here at all, before anything else is done. */
static int try_engine(struct sb_run *run)
{
	const struct dentry_engine *engine = dentry_engines[dentry_params(run)->engine];
	void *state = NULL;
	int ret = engine->open ? engine->open(&state) : 0;

	if (ret)
		return sb_skip(run, "engine %s: %s (%s)", engine->name, strerror(-ret),
			       ret == -ENOSYS ? "a kernel without it?"
			       : ret == -EPERM
				       ? "kernel.io_uring_disabled, or a seccomp filter?"
				       : "Linux 5.19 and later have what it needs");
	if (engine->close)
		engine->close(state);
	return 0;
}

/*
 * Folders are new, so names never meet those of another run. With a seed, and where time counts
 * instructions, they are the same in every run all the same, for results that repeat.
 */
static void choose_names(struct sb_run *run)
{
	struct dentry_bench *b = dentry_bench(run);
	const char *clock = getenv("STALLBENCH_CLOCK");
	uint64_t from = run->seed;

	if (!from && !(clock && !strcmp(clock, "virtual")))
		from = sb_now_ns() ^ (uint64_t)getpid() << 40;
	b->random = from;
	b->run_id = (uint32_t)sb_random(&b->random);
}

static int prepare(struct sb_run *run)
{
	static struct dentry_bench state; /* one run per process */
	const struct sb_list *count = &dentry_params(run)->count;
	int ret = 0;

	state = (struct dentry_bench){ 0 };
	run->state = &state;
	choose_names(run);
	/* All rounds first: to refuse after an hour would be late. */
	for (unsigned int i = 0; i < count->count && !ret; i++)
		ret = dentry_room_check(run, count->value[i]);
	if (!ret)
		ret = try_engine(run);
	if (ret)
		return ret;
	/* A folder that is not there or cannot be written is a matter of usage. */
	if (dentry_home_make(run))
		return -EINVAL;
	return dentry_probe(run);
}

static int finish(struct sb_run *run)
{
	return run->state ? dentry_home_drop(run) : 0;
}

static const struct sb_bench bench = {
	.name = "dentrybench",
	.summary =
		"Measures look-ups of names that exist and of names that do not, and what many "
		"negative dentries do to others",
	.options = options,
	.phases = phases,
	.metrics = metrics,
	.needs = needs,
	.sysctls = sysctls,
	.facts = facts,
	.scale = "count",
	.params_size = sizeof(struct dentry_params),
	.prepare = prepare,
	.finish = finish,
};

int main(int argc, char **argv)
{
	return sb_bench_main(&bench, argc, argv);
}
