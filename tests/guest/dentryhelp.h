/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of the limit of negative dentries share: counters, names, file systems. */
#ifndef DENTRYHELP_H
#define DENTRYHELP_H

#include "help.h"

#define LIMIT "/proc/sys/fs/neg-dentry-limit"
#define ENFORCE "/proc/sys/fs/neg-dentry-enforce"

/*
 * The kernel's counters: of /proc/sys/fs/dentry-state the number of all dentries, of unused
 * ones and of unused negative ones; then those of /proc/sys/fs/neg-dentry-state, in its order.
 */
struct dentries {
	long all, unused, negative;
	long counted, total, left, excess, pool, share, killed;
};

/* Ends the program as skipped on a kernel that has no limit. */
void need_limit(void);

struct dentries dentries(void);
void set_limit(long limit);
void set_enforce(long enforce);

/* The pool and all shares hold what the total says, less what is counted. For a quiet moment.
 */
void check_sum(const char *when);

/*
 * The pool, the share and the total at some limits, as docs/dcache-neg-limit.md has them. How
 * many dentries a page holds is for the caller to know; 0 leaves out what depends on it. Ends
 * with 0.
 */
void check_formula(long per_page);

/* Copies an image to a RAM disk and mounts that. */
void copy_image(const char *image, const char *device);
void mount_disk(const char *device, const char *where);
void unmount(const char *where);

/* Dentries and inodes of all file systems, until count is no more than target. */
void drop_caches(void);
bool drop_counted(long target, double limit);

/* Puts this process into a memory cgroup of its own, from which reclaim() can take memory. */
void enter_cgroup(void);
void reclaim(const char *amount);

/* Looks up, creates or removes so many files PREFIX0, PREFIX1, ... of the current folder. */
void miss(const char *prefix, long files);
void create(const char *prefix, long files);
void remove_files(const char *prefix, long files);

/* How many warnings about the limit are in the kernel's log. */
long warnings(void);

/* How many of them are about a limit of 0, which is none. */
long warnings_of_none(void);

#endif
