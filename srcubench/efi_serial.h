/* SPDX-License-Identifier: GPL-2.0-only */
/* What firmware writes to its serial line: when it is done, and how far it came if it is not.
 */
#ifndef SRCUBENCH_EFI_SERIAL_H
#define SRCUBENCH_EFI_SERIAL_H

#include <stdbool.h>
#include <stddef.h>

#define EFI_LINE_LEN 200

/* All zeros is the beginning. */
struct efi_serial {
	char line[EFI_LINE_LEN]; /* the present one, without control sequences */
	char last[EFI_LINE_LEN]; /* the last one that had anything on it */
	size_t len;
	int escape; /* inside a control sequence: its bytes so far */
	bool ended; /* the mark was seen */
};

/*
 * Takes the next bytes, cut anywhere. Returns whether the end mark has been seen: the first
 * line of edk2's boot device selection ("BdsDxe: ...", MdeModulePkg/Universal/BdsDxe), which
 * every build prints whatever it finds to boot, or the device table of its shell.
 */
bool efi_serial_feed(struct efi_serial *s, const char *bytes, size_t len);

/* The last line with text on it, "" when there was none. */
const char *efi_serial_last(const struct efi_serial *s);

#endif
