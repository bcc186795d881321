// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../core/msg.h"
#include "../core/sysctl.h"
#include "counts.h"
#include "room.h"

#define STATE_FILE "/proc/sys/fs/dentry-state"
#define NEGATIVE_SINCE 5 /* Linux 5.0: af0c9af1b3f6 */
#define SHARE_LEAST 512

int dentry_state_parse(struct dentry_state *state, const char *text, const char *release)
{
	*state = (struct dentry_state){ 0 };
	if (sscanf(text, "%" SCNd64 " %" SCNd64 " %*d %*d %" SCNd64, &state->dentries,
		   &state->unused, &state->negative) != 3)
		return -EINVAL;
	state->negative_known = strtol(release, NULL, 10) >= NEGATIVE_SINCE;
	return 0;
}

int dentry_state_read(struct dentry_state *state)
{
	struct utsname uts;
	char text[256];
	int ret = 0;
	FILE *f;

	errno = 0; /* an empty file sets none */
	f = fopen(STATE_FILE, "re");
	if (!f || !fgets(text, sizeof(text), f))
		ret = sb_err(errno ? errno : EIO, STATE_FILE);
	if (f)
		fclose(f);
	uname(&uts);
	if (!ret && dentry_state_parse(state, text, uts.release))
		ret = sb_err(EINVAL, STATE_FILE);
	return ret;
}

int dentry_slab_parse(const char *line, const char *cache, uint64_t page, int64_t *bytes)
{
	size_t len = strlen(cache);
	uint64_t per_slab, slabs;

	/* name <active> <num> <size> <perslab> <pagesperslab> : tunables ... : slabdata
	 * <active_slabs> <num_slabs> <shared> */
	if (strncmp(line, cache, len) != 0 || line[len] != ' ' ||
	    sscanf(line + len,
		   "%*u %*u %*u %*u %" SCNu64 " : tunables %*u %*u %*u : slabdata %*u %" SCNu64,
		   &per_slab, &slabs) != 2)
		return -EINVAL;
	*bytes = (int64_t)(slabs * per_slab * page);
	return 0;
}

int dentry_slab_read(int64_t *bytes)
{
	FILE *f = fopen("/proc/slabinfo", "re");
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int ret = -ENOENT;
	char line[512];

	if (!f)
		return -errno;
	while (ret && fgets(line, sizeof(line), f))
		if (!dentry_slab_parse(line, "dentry", page, bytes))
			ret = 0;
	if (ret && !feof(f))
		ret = -errno;
	fclose(f);
	return ret;
}

int dentry_meminfo_read(const char *key, int64_t *bytes)
{
	FILE *f = fopen("/proc/meminfo", "re");
	size_t len = strlen(key);
	int ret = -ENOENT;
	char line[256];

	if (!f)
		return -errno;
	while (ret && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, len) != 0 || line[len] != ':')
			continue;
		*bytes = strtoll(line + len + 1, NULL, 10) * 1024;
		ret = 0;
	}
	if (ret && !feof(f))
		ret = -errno;
	fclose(f);
	return ret;
}

uint64_t dentry_limit(uint64_t pages, uint64_t per_page, uint64_t cpus, uint64_t limit)
{
	uint64_t pool = pages * (per_page - 1) * limit / 2000;
	uint64_t share = pool / cpus;

	if (!pool)
		return 0;
	return pool + (share < SHARE_LEAST ? SHARE_LEAST : share);
}

uint64_t dentry_limit_read(void)
{
	uint64_t limit;

	if (sb_sysctl_read("fs/neg-dentry-limit", &limit))
		return 0;
	return dentry_limit((uint64_t)sysconf(_SC_PHYS_PAGES),
			    (uint64_t)sysconf(_SC_PAGESIZE) / DENTRY_BYTES,
			    (uint64_t)sysconf(_SC_NPROCESSORS_CONF), limit);
}
