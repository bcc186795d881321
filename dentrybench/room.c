// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/num.h"
#include "counts.h"
#include "dentrybench.h"
#include "room.h"

#define EXTERNAL_HEADER 16
#define LATENCY_MOST 100000
#define LATENCY_SHARE 10

uint64_t dentry_latency_samples(uint64_t count)
{
	uint64_t share = count / LATENCY_SHARE;

	return share < LATENCY_MOST ? share : LATENCY_MOST;
}

uint64_t dentry_names_needed(uint64_t count)
{
	return count + dentry_latency_samples(count);
}

uint64_t dentry_names_fitting(uint64_t dentries)
{
	if (dentries >= LATENCY_MOST * (LATENCY_SHARE + 1ULL))
		return dentries - LATENCY_MOST;
	return dentries * LATENCY_SHARE / (LATENCY_SHARE + 1);
}

/* Sizes of the kmalloc caches (mm/slab_common.c). */
static uint64_t kmalloc_size(uint64_t bytes)
{
	uint64_t size = 8;

	if (bytes > 64 && bytes <= 96)
		return 96;
	if (bytes > 128 && bytes <= 192)
		return 192;
	while (size < bytes)
		size *= 2;
	return size;
}

uint64_t dentry_room_each(unsigned int name_length)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), on_page = page / DENTRY_BYTES;
	uint64_t dentry = (page + on_page - 1) / on_page;

	if (name_length < DENTRY_INLINE)
		return dentry;
	return dentry + kmalloc_size(EXTERNAL_HEADER + name_length + 1);
}

uint64_t dentry_room_fit(uint64_t bytes, unsigned int name_length)
{
	return (bytes - bytes / 5) / dentry_room_each(name_length);
}

/* A limit's file; "max", none at all and the largest page-aligned number mean no limit. */
static uint64_t read_limit(const char *dir, const char *file)
{
	char path[4096 + 64], text[64];
	uint64_t limit = UINT64_MAX;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "re");
	if (!f)
		return limit;
	if (fgets(text, sizeof(text), f)) {
		text[strcspn(text, "\n")] = '\0';
		if (sb_parse_u64(text, &limit) ||
		    limit > INT64_MAX - (uint64_t)sysconf(_SC_PAGESIZE))
			limit = UINT64_MAX;
	}
	fclose(f);
	return limit;
}

/* From the group up to the root of its hierarchy: each one's limit holds. */
static uint64_t least_limit(const char *mount, const char *group, const char *file)
{
	uint64_t least = UINT64_MAX;
	size_t root = strlen(mount);
	char dir[4096];

	snprintf(dir, sizeof(dir), "%s%s", mount, group);
	for (;;) {
		uint64_t limit = read_limit(dir, file);

		if (limit < least)
			least = limit;
		if (strlen(dir) <= root)
			return least;
		*strrchr(dir, '/') = '\0';
	}
}

uint64_t dentry_room_cgroup(const char *cgroups, const char *root)
{
	uint64_t least = UINT64_MAX;
	char mount[256], group[2048];

	for (; *cgroups; cgroups += strcspn(cgroups, "\n"), cgroups += *cgroups == '\n') {
		uint64_t limit = UINT64_MAX;

		/* hierarchy:controllers:path; version 2 has hierarchy 0 and no controllers */
		if (sscanf(cgroups, "0::%2047[^\n]", group) == 1) {
			limit = least_limit(root, group, "memory.max");
		} else if (sscanf(cgroups, "%*u:memory:%2047[^\n]", group) == 1) {
			snprintf(mount, sizeof(mount), "%s/memory", root);
			limit = least_limit(mount, group, "memory.limit_in_bytes");
		}
		if (limit < least)
			least = limit;
	}
	return least;
}

static uint64_t own_cgroup_limit(void)
{
	char text[8192] = "";
	FILE *f = fopen("/proc/self/cgroup", "re");

	if (!f)
		return UINT64_MAX;
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return dentry_room_cgroup(text, "/sys/fs/cgroup");
}

int dentry_room_check(struct sb_run *run, uint64_t names)
{
	const struct dentry_params *params = dentry_params(run);
	unsigned int length = (unsigned int)params->name_length;
	uint64_t limit = own_cgroup_limit(), fit;
	char asked[SB_NUM_LEN], all[SB_NUM_LEN], fits[SB_NUM_LEN];
	const char *what = "MemAvailable";
	int64_t available;
	int ret = dentry_meminfo_read("MemAvailable", &available);

	if (ret)
		return sb_err(ret, "MemAvailable in /proc/meminfo");
	if (limit < (uint64_t)available) {
		available = (int64_t)limit;
		what = "the cgroup's limit";
	}
	fit = dentry_room_fit((uint64_t)available, length);
	if (dentry_names_needed(names) <= fit)
		return 0;
	sb_msg("--count %s does not fit: %s dentries of %" PRIu64
	       " bytes are %.1f MiB, four fifths of %s are %.1f MiB: %s fit",
	       sb_num_grouped(asked, names), sb_num_grouped(all, dentry_names_needed(names)),
	       dentry_room_each(length),
	       (double)dentry_names_needed(names) * (double)dentry_room_each(length) /
		       (1 << 20),
	       what, (double)available * 4 / 5 / (1 << 20),
	       sb_num_grouped(fits, dentry_names_fitting(fit)));
	return -EINVAL;
}
