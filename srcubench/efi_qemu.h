/* SPDX-License-Identifier: GPL-2.0-only */
/* A QEMU of our own that runs firmware under KVM, from its start to the firmware's end mark. */
#ifndef SRCUBENCH_EFI_QEMU_H
#define SRCUBENCH_EFI_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "efi_flash.h"
#include "efi_serial.h"

/* Files of the firmware, and where they are not there, what they would be called. */
struct efi_firmware {
	const char *code;
	const char *vars; /* NULL: code is for QEMU's -bios, variables are its own affair */
};

/*
 * Finds QEMU and firmware: code and variables for a flash each, or, with @bios, code for QEMU's
 * option of that name. Returns 0, or -ENOENT with what is missing.
 */
int efi_firmware_find(struct efi_firmware *firmware, bool bios, char *why, size_t why_len);

struct efi_qemu {
	pid_t pid; /* 0: not running */
	int serial_fd, error_fd;
	struct efi_serial serial;
	char errors[4096]; /* the end of what QEMU said on stderr */
	size_t errors_len;
	int wait_status;
};

/*
 * Starts QEMU with the firmware and its flash (of no matter for -bios). It dies with this
 * process. Returns 0, or -errno after a message.
 */
int efi_qemu_start(struct efi_qemu *qemu, const struct efi_firmware *firmware,
		   const struct efi_flash *flash);

/*
 * Waits for the end mark. Returns 0 at the moment it was read; -ETIMEDOUT at @deadline_ns
 * (sb_now_ns()), -EINTR after a signal, -ENOTSUP when KVM gave up ("KVM internal error"),
 * -ECHILD when QEMU ended by itself (efi_qemu_stop() then has its status), all without a
 * message, or another -errno after one.
 */
int efi_qemu_wait(struct efi_qemu *qemu, uint64_t deadline_ns);

/* Kills and reaps it, reads what it had said; nothing happens when none runs. */
void efi_qemu_stop(struct efi_qemu *qemu);

#endif
