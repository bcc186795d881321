/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a file can be a kernel at all, told before a guest sits there in silence. */
#ifndef GUEST_KIMAGE_H
#define GUEST_KIMAGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Looks at the first @len bytes (1 KiB is enough) of a file of @size bytes. Returns 0 if it
 * looks like a whole kernel image for @arch (x86_64, arm64; of others nothing is known, so all
 * is well), else -ENOEXEC with a reason in @why.
 */
int kimage_check(const char *arch, const uint8_t *head, size_t len, uint64_t size, char *why,
		 size_t why_len);

/* The same for a path. Returns 0, -errno or -ENOEXEC, after a message. */
int kimage_check_file(const char *arch, const char *path);

/* What the architectures know; each is in a file of its name. As kimage_check(). */
int kimage_check_x86_64(const uint8_t *head, size_t len, uint64_t size, char *why,
			size_t why_len);
int kimage_check_arm64(const uint8_t *head, size_t len, uint64_t size, char *why,
		       size_t why_len);

#endif
