// SPDX-License-Identifier: GPL-2.0-only
/* arm64: a vCPU with its MMU off, and AAVMF. */
#ifdef __aarch64__
#include <errno.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include "../core/msg.h"
#include "arch.h"

/*
 * "mov x1, #0x40000000; 1: str w0, [x1]; b 1b": no slot is there, those that change are above
 * 4 GiB, so each store leaves the guest.
 */
static const uint32_t program[] = { 0xd2a80001, 0xb9000020, 0x17ffffff };

/* All registers of a vCPU that was just initialised are 0, the program counter too. */
static int start(int vm, int vcpu)
{
	struct kvm_vcpu_init init;

	if (ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init) < 0)
		return sb_err(errno, "KVM_ARM_PREFERRED_TARGET");
	if (ioctl(vcpu, KVM_ARM_VCPU_INIT, &init) < 0)
		return sb_err(errno, "KVM_ARM_VCPU_INIT");
	return 0;
}

static const char *const machine[] = { "-machine", "virt,gic-version=host", "-cpu", "host",
				       NULL };

static const struct efi_firmware pflash[] = {
	{ "/usr/share/AAVMF/AAVMF_CODE.fd", "/usr/share/AAVMF/AAVMF_VARS.fd" },
	{ "/usr/share/edk2/aarch64/QEMU_EFI-pflash.raw",
	  "/usr/share/edk2/aarch64/vars-template-pflash.raw" },
	{ NULL, NULL },
};

/* QEMU puts it into the first flash; the second, for variables, is erased and in memory. */
static const struct efi_firmware bios[] = {
	{ "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd", NULL },
	{ "/usr/share/edk2/aarch64/QEMU_EFI.fd", NULL },
	{ NULL, NULL },
};

const struct srcu_arch srcu_arch = {
	.program = program,
	.program_len = sizeof(program),
	.exit_reason = KVM_EXIT_MMIO,
	.start = start,
	.qemu = "qemu-system-aarch64",
	.qemu_package = "qemu-system-arm",
	.machine = machine,
	.pflash = pflash,
	.bios = bios,
	.firmware_package = "qemu-efi-aarch64",
};
#endif
