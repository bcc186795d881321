// SPDX-License-Identifier: GPL-2.0-only
/* vCPUs that run the architecture's program. */
#include <errno.h>
#include <linux/kvm.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../core/msg.h"
#include "arch.h"
#include "slot.h"
#include "vm.h"

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
	memcpy(vm->code, srcu_arch.program, srcu_arch.program_len);
	region.userspace_addr = (uintptr_t)vm->code;
	if (ioctl(vm->fd, KVM_SET_USER_MEMORY_REGION, &region) < 0)
		return sb_err(errno, "KVM_SET_USER_MEMORY_REGION, the vCPUs' program");
	return 0;
}

int srcu_vcpu_open(struct srcu_vcpu *vcpu, struct srcu_vm *vm, unsigned int id)
{
	int len, ret;

	*vcpu = SRCU_VCPU_INIT;
	if (!srcu_arch.program)
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
	return srcu_arch.start(vm->fd, vcpu->fd);
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
	if (run->exit_reason == srcu_arch.exit_reason)
		return 0;
	sb_msg("KVM_RUN: the vCPU left with reason %u instead of %u", run->exit_reason,
	       srcu_arch.exit_reason);
	return -EPROTO;
}
