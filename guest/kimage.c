// SPDX-License-Identifier: GPL-2.0-only
/* Checks a kernel image by the x86 boot protocol's header. */
#include "kimage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../core/msg.h"

/* Documentation/arch/x86/boot.rst: offsets in the first sectors of a bzImage. */
#define OFF_SETUP_SECTS 0x1f1
#define OFF_SYSSIZE 0x1f4
#define OFF_MAGIC 0x202
#define SECTOR 512
#define SYSSIZE_UNIT 16
/* What 0 stands for, for the sake of very old boot loaders. */
#define SETUP_SECTS_DEFAULT 4

static uint64_t image_size(const uint8_t *head)
{
	const uint8_t *s = head + OFF_SYSSIZE;
	uint64_t sects = head[OFF_SETUP_SECTS] ? head[OFF_SETUP_SECTS] : SETUP_SECTS_DEFAULT;
	uint64_t units =
		s[0] | (uint64_t)s[1] << 8 | (uint64_t)s[2] << 16 | (uint64_t)s[3] << 24;

	return (sects + 1) * SECTOR + units * SYSSIZE_UNIT;
}

int kimage_check(const uint8_t *head, size_t len, uint64_t size, char *why, size_t why_len)
{
	uint64_t want;

	if (len >= 4 && memcmp(head, "\177ELF", 4) == 0) {
		snprintf(why, why_len, "an ELF file; wanted is the bzImage made from it");
		return -ENOEXEC;
	}
	if (len < OFF_MAGIC + 4 || memcmp(head + OFF_MAGIC, "HdrS", 4) != 0) {
		snprintf(why, why_len, "not an x86 kernel image (no boot header)");
		return -ENOEXEC;
	}
	want = image_size(head);
	if (size < want) {
		snprintf(why, why_len, "truncated kernel image: %" PRIu64 " bytes of %" PRIu64,
			 size, want);
		return -ENOEXEC;
	}
	return 0;
}

int kimage_check_file(const char *path)
{
	uint8_t head[1024];
	char why[128];
	struct stat st;
	ssize_t len;
	int fd, err;

	/* Not blocking: the path may be a FIFO. */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return sb_err(errno, "kernel %s", path);
	if (fstat(fd, &st)) {
		err = sb_err(errno, "kernel %s", path);
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		sb_msg("kernel %s: not a regular file", path);
		err = -ENOEXEC;
		goto out;
	}
	len = pread(fd, head, sizeof(head), 0);
	if (len < 0) {
		err = sb_err(errno, "kernel %s", path);
		goto out;
	}
	err = kimage_check(head, (size_t)len, (uint64_t)st.st_size, why, sizeof(why));
	if (err)
		sb_msg("kernel %s: %s", path, why);
out:
	close(fd);
	return err;
}
