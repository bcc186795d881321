/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether so many negative dentries fit into memory. */
#ifndef DENTRY_ROOM_H
#define DENTRY_ROOM_H

#include <stdint.h>

struct sb_run;

/*
 * struct dentry on 64-bit kernels (include/linux/dcache.h: "192 bytes"), 21 to a page of 4 KiB.
 * With the end, names of up to 40 bytes lie in it.
 */
#define DENTRY_BYTES 192
#define DENTRY_INLINE 40

/*
 * Memory of one dentry with a name of so many bytes: its share of a slab page, and for a name
 * that does not lie in it the size of the kmalloc cache that takes it with its header of 16
 * bytes (struct external_name, fs/dcache.c).
 */
uint64_t dentry_room_each(unsigned int name_length);

/* How many dentries fit into so many bytes, of which a fifth is left alone. */
uint64_t dentry_room_fit(uint64_t bytes, unsigned int name_length);

/*
 * The limit in force for a process with this /proc/self/cgroup: the least of its groups' and
 * their parents', below root (/sys/fs/cgroup). Both versions of cgroups. UINT64_MAX = none.
 */
uint64_t dentry_room_cgroup(const char *cgroups, const char *root);

/*
 * Refuses names that would not fit into what is available, MemAvailable or the cgroup's limit.
 * Returns 0, or -EINVAL after a message with the arithmetic.
 */
int dentry_room_check(struct sb_run *run, uint64_t names);

#endif
