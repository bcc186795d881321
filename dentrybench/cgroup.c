// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../core/num.h"
#include "cgroup.h"
#include "dentrybench.h"

#define DEFAULT_MOUNT "/sys/fs/cgroup"

/* What the group's memory is read from. */
static const char *usage_file(const struct dentry_cgroup *group)
{
	return group->second ? "memory.current" : "memory.usage_in_bytes";
}

static int write_file(const char *dir, const char *file, const char *text)
{
	char path[4096];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static bool has_memory(const char *mount)
{
	char path[4096], text[512] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/cgroup.controllers", mount);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	return strstr(text, "memory") != NULL;
}

/* The first hierarchy that has the memory controller. */
static bool find_mount(struct dentry_cgroup *group)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *m;

	while (mounts && !group->mount && (m = getmntent(mounts))) {
		bool first = !strcmp(m->mnt_type, "cgroup") && hasmntopt(m, "memory");

		group->second = !strcmp(m->mnt_type, "cgroup2") && has_memory(m->mnt_dir);
		if (first || group->second)
			group->mount = strdup(m->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	return group->mount != NULL;
}

/* A guest's init mounts none. */
static bool make_mount(struct dentry_cgroup *group)
{
	if (!getenv("STALLBENCH_ACCEL") || mount("cgroup2", DEFAULT_MOUNT, "cgroup2", 0, NULL))
		return false;
	group->mounted = group->second = true;
	group->mount = strdup(DEFAULT_MOUNT);
	return group->mount && has_memory(group->mount);
}

/* Where the process is now, below the mount: "0::/x" or "4:memory:/x". */
static void find_back(struct dentry_cgroup *group)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[4096], path[4096];

	while (f && !group->back && fgets(line, sizeof(line), f)) {
		if (sscanf(line, group->second ? "0::%4095[^\n]" : "%*u:memory:%4095[^\n]",
			   path) != 1)
			continue;
		if (asprintf(&group->back, "%s%s", group->mount, path) < 0)
			group->back = NULL;
	}
	if (f)
		fclose(f);
}

/* Version 2 gives a group the controller only if its parent hands it on, which may be denied.
 */
static bool has_usage(const struct dentry_cgroup *group)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", group->path, usage_file(group));
	return !access(path, R_OK);
}

static void drop_path(struct dentry_cgroup *group)
{
	free(group->path);
	group->path = NULL;
}

int dentry_cgroup_enter(struct sb_run *run, struct dentry_cgroup *group)
{
	int ret;

	*group = (struct dentry_cgroup){ 0 };
	if (!find_mount(group) && !make_mount(group))
		return sb_skip(run, "no memory cgroups here");
	find_back(group);
	if (asprintf(&group->path, "%s/dentrybench-%d", group->mount, getpid()) < 0) {
		group->path = NULL;
		return sb_err(ENOMEM, "making a cgroup");
	}
	if (group->second)
		write_file(group->mount, "cgroup.subtree_control", "+memory");
	if (mkdir(group->path, 0755)) {
		ret = errno;
		drop_path(group);
		return sb_skip(run, "no cgroup can be made in %s: %s", group->mount,
			       strerror(ret));
	}
	if (!has_usage(group)) {
		rmdir(group->path);
		drop_path(group);
		return sb_skip(run, "a new cgroup in %s has no %s", group->mount,
			       usage_file(group));
	}
	ret = write_file(group->path, "cgroup.procs", "0");
	return ret ? sb_err(ret, "moving into %s", group->path) : 0;
}

static int read_usage(const struct dentry_cgroup *group, uint64_t *bytes)
{
	char path[4096], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", group->path, usage_file(group));
	f = fopen(path, "re");
	if (!f)
		return sb_err(errno, "%s", path);
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	text[strcspn(text, "\n")] = '\0';
	return sb_parse_u64(text, bytes) ? sb_err(EINVAL, "%s", path) : 0;
}

int dentry_cgroup_press(const struct dentry_cgroup *group, uint64_t bytes)
{
	/* Writing either reclaims at once (memory_high_write(), mem_cgroup_resize_max()). */
	const char *file = group->second ? "memory.high" : "memory.limit_in_bytes";
	const char *none = group->second ? "max" : "-1";
	char text[SB_NUM_LEN];
	uint64_t usage = 0;
	int ret = read_usage(group, &usage), back;

	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%" PRIu64, usage > bytes ? usage - bytes : 0);
	ret = write_file(group->path, file, text);
	back = write_file(group->path, file, none);
	/* Version 1 says so where less than that could be had; a signal is the caller's. */
	if (ret == -EBUSY || ret == -EINTR)
		ret = 0;
	return ret || back ? sb_err(ret ? ret : back, "%s/%s", group->path, file) : 0;
}

void dentry_cgroup_leave(struct dentry_cgroup *group)
{
	int ret = 0;

	if (group->path) {
		ret = write_file(group->back ? group->back : group->mount, "cgroup.procs", "0");
		/* A group that its own processes do not see the outside of. */
		if (ret)
			ret = write_file(group->mount, "cgroup.procs", "0");
		if (ret || rmdir(group->path))
			sb_err(ret ? ret : errno, "leaving %s", group->path);
	}
	if (group->mounted)
		umount2(group->mount, MNT_DETACH);
	free(group->mount);
	free(group->path);
	free(group->back);
	*group = (struct dentry_cgroup){ 0 };
}
