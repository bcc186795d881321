// SPDX-License-Identifier: GPL-2.0-only
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../core/msg.h"

#define BLOCK 4096

/* A block of zeros is left out: the RAM disk has none of its pages yet and reads as zeros. */
static int copy_blocks(int from, int to)
{
	static const char zeros[BLOCK];
	char block[BLOCK];
	off_t at = 0;
	ssize_t got;

	while ((got = read(from, block, sizeof(block))) > 0) {
		if (memcmp(block, zeros, (size_t)got) != 0 &&
		    pwrite(to, block, (size_t)got, at) != got)
			return sb_err(errno ? errno : EIO, "writing %s", SCRATCH_DEVICE);
		at += got;
	}
	return got < 0 ? sb_err(errno, "reading the scratch image") : 0;
}

int scratch_mount(const char *image)
{
	int from = open(image, O_RDONLY | O_CLOEXEC), to, err;

	if (from < 0)
		return errno == ENOENT ? -ENOENT : sb_err(errno, "%s", image);
	to = open(SCRATCH_DEVICE, O_WRONLY | O_CLOEXEC);
	if (to < 0) {
		err = sb_err(errno, "no scratch file system: %s", SCRATCH_DEVICE);
		close(from);
		return err;
	}
	err = copy_blocks(from, to);
	if (close(to) && !err)
		err = sb_err(errno, "writing %s", SCRATCH_DEVICE);
	close(from);
	unlink(image);
	mkdir(SCRATCH_DIR, 0755);
	if (!err && mount(SCRATCH_DEVICE, SCRATCH_DIR, "ext4", 0, NULL))
		err = sb_err(errno, "no scratch file system: mounting %s", SCRATCH_DEVICE);
	return err;
}
