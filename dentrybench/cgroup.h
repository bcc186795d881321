/* SPDX-License-Identifier: GPL-2.0-only */
/* A memory cgroup of our own: pressure on this process's dentries, and on nobody else's. */
#ifndef DENTRY_CGROUP_H
#define DENTRY_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

struct sb_run;

struct dentry_cgroup {
	char *mount;  /* of the hierarchy with the memory controller */
	char *path;   /* our group; NULL = none */
	char *back;   /* the group the process came from */
	bool second;  /* version 2 */
	bool mounted; /* by us */
};

/*
 * Makes a group and moves this process into it; what it makes from now on is charged there.
 * Root only. Returns 0, -SB_SKIP with the reason said, or -errno after a message; to be left
 * in any case.
 */
int dentry_cgroup_enter(struct sb_run *run, struct dentry_cgroup *group);

/*
 * Has the kernel reclaim so many bytes of what is charged to the group, or as many as can be
 * had, and lifts the limit again; never the OOM killer. Returns 0 or -errno after a message.
 */
int dentry_cgroup_press(const struct dentry_cgroup *group, uint64_t bytes);

/* Back to where the process was; the group goes. */
void dentry_cgroup_leave(struct dentry_cgroup *group);

#endif
