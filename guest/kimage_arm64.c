// SPDX-License-Identifier: GPL-2.0-only
/* Checks a kernel image by the header of arm64's Image. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kimage.h"

/* Documentation/arch/arm64/booting.rst. Its image_size is that in memory, with what is no part
 * of the file, so whether the file is whole cannot be told by it. */
#define OFF_MAGIC 56
#define HEADER 64

int kimage_check_arm64(const uint8_t *head, size_t len, uint64_t size, char *why,
		       size_t why_len)
{
	if (len >= 2 && head[0] == 0x1f && head[1] == 0x8b) {
		snprintf(why, why_len, "compressed; wanted is the Image in it (gunzip)");
		return -ENOEXEC;
	}
	if (len < HEADER || size < HEADER || memcmp(head + OFF_MAGIC, "ARM\x64", 4) != 0) {
		snprintf(why, why_len, "not an arm64 kernel image (no boot header)");
		return -ENOEXEC;
	}
	return 0;
}
