/* SPDX-License-Identifier: GPL-2.0-only */
/* What srcubench has to know of an architecture; each is in a file arch_NAME.c. */
#ifndef SRCUBENCH_ARCH_H
#define SRCUBENCH_ARCH_H

#include <stddef.h>

#include "efi_qemu.h"

struct srcu_arch {
	/*
	 * The vCPUs' program: at guest-physical address 0, it leaves the guest in an endless
	 * loop, each time with the same exit_reason of struct kvm_run. NULL: there is none.
	 */
	const void *program;
	size_t program_len; /* bytes, at most a page */
	unsigned int exit_reason;
	/* Makes a new vCPU begin at that address. Returns 0, or -errno after a message. */
	int (*start)(int vm, int vcpu);

	/*
	 * QEMU for phase efi_boot, and its options that say what machine firmware finds.
	 * Both lists end with NULL; the package is Debian's.
	 */
	const char *qemu, *qemu_package;
	const char *const *machine;
	/* Firmware by preference, to an entry without code; what of it goes to QEMU's -bios. */
	const struct efi_firmware *pflash, *bios;
	const char *firmware_package;
};

extern const struct srcu_arch srcu_arch;

#endif
