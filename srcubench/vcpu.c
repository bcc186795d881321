// SPDX-License-Identifier: GPL-2.0-only
/* vCPUs. The program and how to start it are the only part that knows the architecture. */
#include <errno.h>
#include <linux/kvm.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../core/msg.h"
#include "slot.h"
#include "vm.h"

#ifdef __x86_64__
/* Real mode, at guest-physical address 0: "1: outb %al, $0x10; jmp 1b". */
static const unsigned char program[] = { 0xe6, 0x10, 0xeb, 0xfc };

/* The reset vector is at the top of 4 GiB; our page is at the bottom. */
static int start_at_code(int vcpu)
{
	struct kvm_regs regs = { .rflags = 2 };
	struct kvm_sregs sregs;

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
#else
static const unsigned char program[1];

static int start_at_code(int vcpu)
{
	(void)vcpu;
	return -EOPNOTSUPP;
}
#endif

static int map_code(struct srcu_vm *vm)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct kvm_userspace_memory_region region = { .slot = SLOT_CODE, .memory_size = page };

	if (vm->code)
		return 0;
	vm->code = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (vm->code == MAP_FAILED) {
		vm->code = NULL;
		return sb_err(errno, "mapping a page for the vCPUs' program");
	}
	memcpy(vm->code, program, sizeof(program));
	region.userspace_addr = (uintptr_t)vm->code;
	if (ioctl(vm->fd, KVM_SET_USER_MEMORY_REGION, &region) < 0)
		return sb_err(errno, "KVM_SET_USER_MEMORY_REGION, the vCPUs' program");
	return 0;
}

int srcu_vcpu_open(struct srcu_vcpu *vcpu, struct srcu_vm *vm, unsigned int id)
{
	int len, ret;

	*vcpu = SRCU_VCPU_INIT;
	if (sizeof(program) == 1)
		return -EOPNOTSUPP;
	ret = map_code(vm);
	if (ret)
		return ret;
	vcpu->fd = ioctl(vm->fd, KVM_CREATE_VCPU, id);
	if (vcpu->fd < 0)
		return sb_err(errno, "KVM_CREATE_VCPU %u", id);
	len = ioctl(vm->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	if (len < (int)sizeof(struct kvm_run))
		return sb_err(len < 0 ? errno : EPROTO, "KVM_GET_VCPU_MMAP_SIZE");
	vcpu->run_len = (size_t)len;
	vcpu->run = mmap(NULL, vcpu->run_len, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu->fd, 0);
	if (vcpu->run == MAP_FAILED) {
		vcpu->run = NULL;
		return sb_err(errno, "mapping vCPU %u", id);
	}
	return start_at_code(vcpu->fd);
}

void srcu_vcpu_close(struct srcu_vcpu *vcpu)
{
	if (vcpu->run)
		munmap(vcpu->run, vcpu->run_len);
	if (vcpu->fd >= 0)
		close(vcpu->fd);
	*vcpu = SRCU_VCPU_INIT;
}

int srcu_vcpu_exit(struct srcu_vcpu *vcpu)
{
	const struct kvm_run *run = vcpu->run;

	if (ioctl(vcpu->fd, KVM_RUN, 0) < 0)
		return errno == EINTR ? -EINTR : sb_err(errno, "KVM_RUN");
	if (run->exit_reason == KVM_EXIT_IO)
		return 0;
	sb_msg("KVM_RUN: the vCPU left with reason %u instead of port I/O", run->exit_reason);
	return -EPROTO;
}
