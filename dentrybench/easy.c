// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../core/msg.h"
#include "../core/stop.h"
#include "easy.h"

#define PAGE 4096

int dentry_easy_make(struct dentry_easy *easy, const char *dir, uint64_t size)
{
	char path[4096];

	*easy = (struct dentry_easy){ .fd = -1, .size = size };
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
	char page[PAGE];

	if (bytes > easy->size - easy->at)
		return sb_err(ENOSPC, "no more pages to read");
	for (uint64_t end = easy->at + bytes; easy->at < end;) {
		uint64_t left = end - easy->at;
		ssize_t got = pread(easy->fd, page, left < PAGE ? left : PAGE, (off_t)easy->at);

		if (sb_stopped())
			return -EINTR;
		if (got <= 0)
			return sb_err(got ? errno : EIO, "reading pages to be reclaimed");
		easy->at += (uint64_t)got;
	}
	return 0;
}

void dentry_easy_drop(struct dentry_easy *easy)
{
	if (easy->fd >= 0)
		close(easy->fd);
	easy->fd = -1;
}
