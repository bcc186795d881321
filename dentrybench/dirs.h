/* SPDX-License-Identifier: GPL-2.0-only */
/* Directories of one phase: one for all threads, or one each. */
#ifndef DENTRY_DIRS_H
#define DENTRY_DIRS_H

#include <stdint.h>

struct sb_run;

struct dentry_dirs {
	char *path; /* folder that holds them */
	unsigned int count;
	int *fd; /* one each, -1 = not open */
};

/* Picks the base folder and makes this run's own in it. Returns 0 or -errno after a message. */
int dentry_home_make(struct sb_run *run);

/* Removes it with all that is in it. Returns 0 or -errno after a message. */
int dentry_home_drop(struct sb_run *run);

/*
 * Makes count directories in the run's folder, below a new one of this name. Returns 0 or
 * -errno after a message; they are to be dropped in any case.
 */
int dentry_dirs_make(struct sb_run *run, struct dentry_dirs *dirs, const char *name,
		     unsigned int count);

/* As many as the layout wants. */
unsigned int dentry_dirs_wanted(struct sb_run *run);

/* Makes files of the run's file names, 0 to count - 1, in each. Returns 0 or -errno. */
int dentry_dirs_fill(struct sb_run *run, const struct dentry_dirs *dirs, uint64_t count);

/* Path of directory number i; to be freed. NULL after a message. */
char *dentry_dirs_path(const struct dentry_dirs *dirs, unsigned int i);

/* Closes the directories, so that their file system can be unmounted. */
void dentry_dirs_close(struct dentry_dirs *dirs);

/* Closes and removes the directories, and with them all their dentries. */
void dentry_dirs_drop(struct dentry_dirs *dirs);

/* Removes path and everything in it, on its file system only. Returns 0 or -errno. */
int dentry_remove_tree(const char *path);

#endif
