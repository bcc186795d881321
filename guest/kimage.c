// SPDX-License-Identifier: GPL-2.0-only
/* Checks a kernel image, each architecture's in its own way. */
#include "kimage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../core/msg.h"

typedef int kimage_checker(const uint8_t *head, size_t len, uint64_t size, char *why,
			   size_t why_len);

static const struct {
	const char *name;
	kimage_checker *check;
} arches[] = {
	{ "x86_64", kimage_check_x86_64 },
	{ "arm64", kimage_check_arm64 },
};

int kimage_check(const char *arch, const uint8_t *head, size_t len, uint64_t size, char *why,
		 size_t why_len)
{
	if (len >= 4 && memcmp(head, "\177ELF", 4) == 0) {
		snprintf(why, why_len, "an ELF file; wanted is the image made from it");
		return -ENOEXEC;
	}
	for (size_t i = 0; i < sizeof(arches) / sizeof(arches[0]); i++)
		if (strcmp(arch, arches[i].name) == 0)
			return arches[i].check(head, len, size, why, why_len);
	return 0;
}

int kimage_check_file(const char *arch, const char *path)
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
	err = kimage_check(arch, head, (size_t)len, (uint64_t)st.st_size, why, sizeof(why));
	if (err)
		sb_msg("kernel %s: %s", path, why);
out:
	close(fd);
	return err;
}
