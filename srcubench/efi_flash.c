// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../core/msg.h"
#include "efi_flash.h"

#define SIZE_MOST (256u << 20)

/* Reads the whole of a file that is known to have @size bytes from @offset 0 on. */
static int read_whole(int fd, uint8_t *to, size_t size)
{
	for (size_t at = 0; at < size;) {
		ssize_t n = pread(fd, to + at, size - at, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		at += (size_t)n;
	}
	return 0;
}

static int write_whole(int fd, const uint8_t *from, size_t size)
{
	for (size_t at = 0; at < size;) {
		ssize_t n = pwrite(fd, from + at, size - at, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += (size_t)n;
	}
	return 0;
}

static int load(struct efi_flash *flash, const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC), ret = 0;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		ret = -errno;
	else if (st.st_size <= 0 || st.st_size > SIZE_MOST)
		ret = -EINVAL;
	if (!ret) {
		flash->size = (size_t)st.st_size;
		flash->fresh = malloc(flash->size);
		ret = flash->fresh ? read_whole(fd, flash->fresh, flash->size) : -ENOMEM;
	}
	close(fd);
	return ret;
}

int efi_flash_open(struct efi_flash *flash, const char *file)
{
	int ret;

	*flash = EFI_FLASH_INIT;
	ret = load(flash, file);
	if (!ret) {
		/* Inherited on purpose. */
		flash->fd = memfd_create("flash", 0);
		ret = flash->fd < 0 ? -errno
				    : write_whole(flash->fd, flash->fresh, flash->size);
	}
	if (ret) {
		efi_flash_close(flash);
		return sb_err(ret, "a flash with %s", file);
	}
	snprintf(flash->path, sizeof(flash->path), "/proc/self/fd/%d", flash->fd);
	return 0;
}

void efi_flash_close(struct efi_flash *flash)
{
	if (flash->fd >= 0)
		close(flash->fd);
	free(flash->fresh);
	*flash = EFI_FLASH_INIT;
}

int efi_flash_changed(const struct efi_flash *flash, uint64_t *changed)
{
	uint8_t *now = malloc(flash->size);
	int ret = now ? read_whole(flash->fd, now, flash->size) : -ENOMEM;

	*changed = 0;
	for (size_t i = 0; i < flash->size && !ret; i++)
		*changed += now[i] != flash->fresh[i];
	free(now);
	return ret ? sb_err(ret, "reading the flash") : 0;
}
