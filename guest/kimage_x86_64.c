// SPDX-License-Identifier: GPL-2.0-only
/* Checks a kernel image by the x86 boot protocol's header. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kimage.h"

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

int kimage_check_x86_64(const uint8_t *head, size_t len, uint64_t size, char *why,
			size_t why_len)
{
	uint64_t want;

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
