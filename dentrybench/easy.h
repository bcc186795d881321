/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that the kernel gives up easily: clean pages of a file without blocks. */
#ifndef DENTRY_EASY_H
#define DENTRY_EASY_H

#include <stdint.h>

struct dentry_easy {
	int fd;		   /* of a file without a name; -1 = none */
	uint64_t at, size; /* bytes read so far, and in all */
	uint64_t page;	   /* bytes of one */
};

/*
 * Makes a file of size bytes, all of it a hole, on the file system of dir: reading it fills the
 * page cache with zeroes and asks no device. Returns 0 or -errno after a message; to be dropped
 * in any case.
 */
int dentry_easy_make(struct dentry_easy *easy, const char *dir, uint64_t size);

/*
 * Reads the next so many bytes, none of which is cached. Returns 0, -EINTR when a signal
 * stopped it, -ENOSPC when the file is at its end, or -errno; all but -EINTR with a message.
 */
int dentry_easy_read(struct dentry_easy *easy, uint64_t bytes);

/*
 * How many bytes of what was read are cached still, as mincore(2) sees it: it touches none of
 * them. Returns 0, or -errno after a message.
 */
int dentry_easy_cached(const struct dentry_easy *easy, uint64_t *bytes);

/* The pages go with the file. */
void dentry_easy_drop(struct dentry_easy *easy);

#endif
