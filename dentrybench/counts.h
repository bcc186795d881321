/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own counts: dentries, their slab memory, memory that is left. */
#ifndef DENTRY_COUNTS_H
#define DENTRY_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

/* /proc/sys/fs/dentry-state, summed over the CPUs without a lock: deltas may be negative. */
struct dentry_state {
	int64_t dentries, unused;
	int64_t negative;    /* on the LRU lists */
	bool negative_known; /* the fifth field means that only from Linux 5.0 on */
};

/* Parses the file's text for a kernel release ("6.12.1-x"). Returns 0 or -EINVAL. */
int dentry_state_parse(struct dentry_state *state, const char *text, const char *release);

/* Returns 0 or -errno after a message. */
int dentry_state_read(struct dentry_state *state);

/*
 * Bytes of the slabs that a line of /proc/slabinfo (version 2.1) tells of, with the pages only
 * partly used: num_slabs times pagesperslab. Returns 0, or -EINVAL if it is not that of cache.
 */
int dentry_slab_parse(const char *line, const char *cache, uint64_t page, int64_t *bytes);

/* Slabs of the cache "dentry"; root only. Returns 0 or -errno, without a message. */
int dentry_slab_read(int64_t *bytes);

/* A row of /proc/meminfo ("SReclaimable") in bytes. Returns 0 or -errno, without a message. */
int dentry_meminfo_read(const char *key, int64_t *bytes);

/*
 * The limit on new negative dentries at which one thread on an otherwise idle machine would
 * meet a soft limit of so many thousandths of memory (fs.neg-dentry-limit): the common pool,
 * pages * (dentries per page - 1) * limit / 2000, and one CPU's share of it, 512 at least.
 */
uint64_t dentry_limit(uint64_t pages, uint64_t per_page, uint64_t cpus, uint64_t limit);

/* The same for this machine; 0 if the kernel has no such limit, or it is off. */
uint64_t dentry_limit_read(void);

#endif
