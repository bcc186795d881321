// SPDX-License-Identifier: GPL-2.0-only
#include "dentryhelp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATE "/proc/sys/fs/dentry-state"
#define NEG_STATE "/proc/sys/fs/neg-dentry-state"
#define CGROUPS "/cgroup"
#define CGROUP CGROUPS "/test"
#define DROP "/proc/sys/vm/drop_caches"
#define DROP_SLAB "2"
/* No line about it on the console each time. */
#define DROP_QUIETLY "4"
/* The part of the warning that does not change. */
#define WARNING "more negative dentries than fs.neg-dentry-limit="
#define WARNING_OF_NONE WARNING "0 allows"
/* syslog(2): read all that is in the log. */
#define READ_ALL 3
#define LOG_SIZE (1 << 20)

void need_limit(void)
{
	if (access(LIMIT, F_OK) < 0)
		die(SKIPPED, "%s: %m (a kernel without the limit?)", LIMIT);
}

static void read_longs(const char *path, long *values, int n)
{
	FILE *f;
	int i;

	f = fopen(path, "r");
	if (!f)
		die(FAILED, "%s: %m", path);
	for (i = 0; i < n; i++)
		if (fscanf(f, "%ld", &values[i]) != 1)
			die(FAILED, "%s: fewer than %d numbers", path, n);
	fclose(f);
}

struct dentries dentries(void)
{
	long state[5], neg[7];

	read_longs(STATE, state, 5);
	read_longs(NEG_STATE, neg, 7);
	return (struct dentries){
		.all = state[0],
		.unused = state[1],
		.negative = state[4],
		.counted = neg[0],
		.total = neg[1],
		.left = neg[2],
		.excess = neg[3],
		.pool = neg[4],
		.share = neg[5],
		.killed = neg[6],
	};
}

static void set(const char *path, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	if (!write_file(path, text))
		die(FAILED, "cannot write %s to %s: %m", text, path);
}

void set_limit(long limit)
{
	set(LIMIT, limit);
}

void set_enforce(long enforce)
{
	set(ENFORCE, enforce);
}

void check_sum(const char *when)
{
	struct dentries d = dentries();

	if (d.counted + d.left - d.excess != d.total)
		die(FAILED, "%s: %ld counted + %ld left - %ld in excess is not the total %ld",
		    when, d.counted, d.left, d.excess, d.total);
}

void check_formula(long per_page)
{
	long limits[] = { 1, 2, 10, 100 }, cpus = sysconf(_SC_NPROCESSORS_CONF), pool, share;
	struct dentries d;
	size_t i;

	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		set_limit(limits[i]);
		d = dentries();
		pool = sysconf(_SC_PHYS_PAGES) * (per_page - 1) * limits[i] / 2000;
		if (per_page && d.pool != pool)
			die(FAILED, "limit %ld: a pool of %ld instead of %ld", limits[i],
			    d.pool, pool);
		share = d.pool / cpus < 512 ? 512 : d.pool / cpus;
		if (d.share != share || d.total != d.pool + cpus * share)
			die(FAILED, "limit %ld: %ld CPUs with shares of %ld make %ld",
			    limits[i], cpus, d.share, d.total);
	}
	set_limit(0);
	d = dentries();
	if (d.pool || d.share || d.total)
		die(FAILED, "limit 0 leaves a pool of %ld and shares of %ld", d.pool, d.share);
}

void copy_image(const char *image, const char *device)
{
	struct stat st;
	off_t at = 0;
	int in, out;

	in = open(image, O_RDONLY | O_CLOEXEC);
	if (in < 0 || fstat(in, &st) < 0)
		die(USAGE, "%s: %m", image);
	out = open(device, O_WRONLY | O_CLOEXEC);
	if (out < 0)
		die(SKIPPED, "%s: %m", device);
	while (at < st.st_size)
		if (sendfile(out, in, &at, st.st_size - at) <= 0)
			die(FAILED, "cannot copy %s to %s: %m", image, device);
	close(in);
	if (close(out) < 0)
		die(FAILED, "%s: %m", device);
}

void mount_disk(const char *device, const char *where)
{
	if (mkdir(where, 0755) < 0 && errno != EEXIST)
		die(FAILED, "cannot make %s: %m", where);
	if (mount(device, where, "ext4", MS_NOATIME, NULL) < 0)
		die(FAILED, "cannot mount %s at %s: %m", device, where);
}

void unmount(const char *where)
{
	if (umount(where) < 0)
		die(FAILED, "cannot unmount %s: %m", where);
}

void drop_caches(void)
{
	if (!write_file(DROP, DROP_QUIETLY) || !write_file(DROP, DROP_SLAB))
		die(FAILED, "%s: %m", DROP);
}

bool drop_counted(long target, double limit)
{
	double end = now() + limit;

	for (;;) {
		drop_caches();
		if (dentries().counted <= target)
			return true;
		if (now() > end)
			return false;
		sleep_for(0.01);
	}
}

void enter_cgroup(void)
{
	char pid[32];

	mkdir(CGROUPS, 0755);
	if (mount("cgroup2", CGROUPS, "cgroup2", 0, NULL) < 0 && errno != EBUSY)
		die(SKIPPED, "cannot mount cgroup2: %m");
	snprintf(pid, sizeof(pid), "%d", getpid());
	if (!write_file(CGROUPS "/cgroup.subtree_control", "+memory") ||
	    (mkdir(CGROUP, 0755) < 0 && errno != EEXIST) ||
	    !write_file(CGROUP "/cgroup.procs", pid))
		die(SKIPPED, "no memory cgroup: %m");
}

/* Less than was asked for may be found, which is no error here. */
void reclaim(const char *amount)
{
	if (!write_file(CGROUP "/memory.reclaim", amount) && errno != EAGAIN)
		die(SKIPPED, "memory.reclaim: %m");
}

void miss(const char *prefix, long files)
{
	char name[NAME_MAX];
	long i;

	for (i = 0; i < files; i++) {
		snprintf(name, sizeof(name), "%s%ld", prefix, i);
		if (access(name, F_OK) == 0)
			die(FAILED, "%s exists", name);
		if (errno != ENOENT)
			die(FAILED, "%s: %m", name);
	}
}

void create(const char *prefix, long files)
{
	char name[NAME_MAX];
	long i;
	int fd;

	for (i = 0; i < files; i++) {
		snprintf(name, sizeof(name), "%s%ld", prefix, i);
		fd = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
		if (fd < 0)
			die(FAILED, "cannot create %s: %m", name);
		close(fd);
	}
}

void remove_files(const char *prefix, long files)
{
	char name[NAME_MAX];
	long i;

	for (i = 0; i < files; i++) {
		snprintf(name, sizeof(name), "%s%ld", prefix, i);
		if (unlink(name) < 0)
			die(FAILED, "cannot remove %s: %m", name);
	}
}

static long in_log(const char *what)
{
	char *text = malloc(LOG_SIZE), *at;
	long found = 0;
	int len;

	if (!text)
		die(FAILED, "no memory");
	len = klogctl(READ_ALL, text, LOG_SIZE - 1);
	if (len < 0)
		die(FAILED, "cannot read the kernel's log: %m");
	text[len] = '\0';
	for (at = text; (at = strstr(at, what)); at++)
		found++;
	free(text);
	return found;
}

long warnings(void)
{
	return in_log(WARNING);
}

long warnings_of_none(void)
{
	return in_log(WARNING_OF_NONE);
}
