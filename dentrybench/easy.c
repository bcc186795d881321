// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../core/msg.h"
#include "../core/stop.h"
#include "easy.h"

#define PAGE_MOST 65536 /* arm64, at most */
#define LOT 4096	/* pages asked about at a time */

int dentry_easy_make(struct dentry_easy *easy, const char *dir, uint64_t size)
{
	char path[4096];

	*easy = (struct dentry_easy){ .fd = -1,
				      .size = size,
				      .page = (uint64_t)sysconf(_SC_PAGESIZE) };
	if (easy->page > PAGE_MOST)
		return sb_err(EOPNOTSUPP, "pages of more than %d bytes", PAGE_MOST);
	if (snprintf(path, sizeof(path), "%s/easy-XXXXXX", dir) >= (int)sizeof(path))
		return sb_err(ENAMETOOLONG, "%s", dir);
	easy->fd = mkostemp(path, O_CLOEXEC);
	if (easy->fd < 0)
		return sb_err(errno, "%s", path);
	/* Nothing to clean up, however this process ends. */
	unlink(path);
	/* Read one by one, or they would be reclaimed in lots, as large as the kernel's folios.
	 */
	posix_fadvise(easy->fd, 0, 0, POSIX_FADV_RANDOM);
	return ftruncate(easy->fd, (off_t)size) ? sb_err(errno, "%s: making it larger", path)
						: 0;
}

int dentry_easy_read(struct dentry_easy *easy, uint64_t bytes)
{
	char page[PAGE_MOST];

	if (bytes > easy->size - easy->at)
		return sb_err(ENOSPC, "no more pages to read");
	for (uint64_t end = easy->at + bytes; easy->at < end;) {
		uint64_t left = end - easy->at;
		ssize_t got = pread(easy->fd, page, left < easy->page ? left : easy->page,
				    (off_t)easy->at);

		if (sb_stopped())
			return -EINTR;
		if (got <= 0)
			return sb_err(got ? errno : EIO, "reading pages to be reclaimed");
		easy->at += (uint64_t)got;
	}
	return 0;
}

/* How many of up to LOT pages are cached, from the page at offset on. */
static int count_lot(const struct dentry_easy *easy, uint64_t offset, uint64_t *cached)
{
	uint64_t lot = LOT * easy->page;
	uint64_t bytes = easy->at - offset < lot ? easy->at - offset : lot;
	unsigned char in[LOT];
	void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, easy->fd, (off_t)offset);
	int ret = 0;

	if (map == MAP_FAILED)
		return sb_err(errno, "mapping pages to be reclaimed");
	if (mincore(map, bytes, in))
		ret = sb_err(errno, "asking which pages are cached");
	for (uint64_t i = 0; !ret && i < bytes / easy->page; i++)
		*cached += (in[i] & 1) * easy->page;
	munmap(map, bytes);
	return ret;
}

int dentry_easy_cached(const struct dentry_easy *easy, uint64_t *bytes)
{
	int ret = 0;

	*bytes = 0;
	for (uint64_t at = 0; at < easy->at && !ret; at += LOT * easy->page)
		ret = count_lot(easy, at, bytes);
	return ret;
}

void dentry_easy_drop(struct dentry_easy *easy)
{
	if (easy->fd >= 0)
		close(easy->fd);
	easy->fd = -1;
}
