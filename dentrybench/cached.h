/* SPDX-License-Identifier: GPL-2.0-only */
/* Which names the dcache can answer by itself, asked without filling it. */
#ifndef DENTRY_CACHED_H
#define DENTRY_CACHED_H

#include <stdint.h>

struct sb_run;
struct dentry_dirs;

/*
 * Counts the names of a kind, numbers first to first + count - 1 in each directory, that are in
 * the dcache: openat2(2) with RESOLVE_CACHED answers from there or fails with EAGAIN, and calls
 * no file system. Returns 0, -EINTR, or -EOPNOTSUPP without a message where the kernel has no
 * RESOLVE_CACHED (before 5.12) or a filter forbids openat2.
 */
int dentry_cached_count(struct sb_run *run, const struct dentry_dirs *dirs, char kind,
			uint64_t first, uint64_t count, uint64_t *cached);

#endif
