// SPDX-License-Identifier: GPL-2.0-only
/* x86-64: a vCPU in real mode, and OVMF. */
#ifdef __x86_64__
#include <errno.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>

#include "../core/msg.h"
#include "arch.h"

/* "1: outb %al, $0x10; jmp 1b" */
static const unsigned char program[] = { 0xe6, 0x10, 0xeb, 0xfc };

/* The reset vector is at the top of 4 GiB; our page is at the bottom. */
static int start(int vm, int vcpu)
{
	struct kvm_regs regs = { .rflags = 2 };
	struct kvm_sregs sregs;

	(void)vm;
	if (ioctl(vcpu, KVM_GET_SREGS, &sregs) < 0)
		return sb_err(errno, "KVM_GET_SREGS");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	if (ioctl(vcpu, KVM_SET_SREGS, &sregs) < 0)
		return sb_err(errno, "KVM_SET_SREGS");
	if (ioctl(vcpu, KVM_SET_REGS, &regs) < 0)
		return sb_err(errno, "KVM_SET_REGS");
	return 0;
}

/*
 * Under an emulated SVM (QEMU 7.2) an interrupt controller in the kernel trips an assertion,
 * and the paravirtual MSRs that kvm=off hides cannot be set; the same is used everywhere, so
 * that figures can be compared.
 */
static const char *const machine[] = { "-machine", "q35,kernel-irqchip=off", "-cpu",
				       "host,kvm=off", NULL };

static const struct efi_firmware pflash[] = {
	{ "/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd" },
	{ "/usr/share/OVMF/OVMF_CODE.fd", "/usr/share/OVMF/OVMF_VARS.fd" },
	{ "/usr/share/edk2/ovmf/OVMF_CODE.fd", "/usr/share/edk2/ovmf/OVMF_VARS.fd" },
	{ NULL, NULL },
};

const struct srcu_arch srcu_arch = {
	.program = program,
	.program_len = sizeof(program),
	.exit_reason = KVM_EXIT_IO,
	.start = start,
	.qemu = "qemu-system-x86_64",
	.qemu_package = "qemu-system-x86",
	.machine = machine,
	.pflash = pflash,
	/* Without flash OVMF keeps its variables in memory: nothing would be measured. */
	.bios = NULL,
	.firmware_package = "ovmf",
};
#endif
