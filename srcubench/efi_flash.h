/* SPDX-License-Identifier: GPL-2.0-only */
/* The flash that firmware keeps its variables in: a copy of what the distribution ships. */
#ifndef SRCUBENCH_EFI_FLASH_H
#define SRCUBENCH_EFI_FLASH_H

#include <stddef.h>
#include <stdint.h>

struct efi_flash {
	int fd; /* in memory, so that no disk has a part in it and nothing is left behind */
	uint8_t *fresh;
	size_t size;   /* bytes */
	char path[64]; /* for QEMU, which inherits the descriptor */
};

#define EFI_FLASH_INIT ((struct efi_flash){ .fd = -1 })

/* Makes one with the content of @file. Returns 0, or -errno after a message. */
int efi_flash_open(struct efi_flash *flash, const char *file);
void efi_flash_close(struct efi_flash *flash);

/* Sets @changed to the bytes that differ from the fresh content. Returns 0, or -errno after a
 * message. */
int efi_flash_changed(const struct efi_flash *flash, uint64_t *changed);

#endif
