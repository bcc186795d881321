/* SPDX-License-Identifier: GPL-2.0-only */
/* KVM machines and their vCPUs, as little of them as the memory slots need. */
#ifndef SRCUBENCH_VM_H
#define SRCUBENCH_VM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Whether machines can be made here. Returns 0, or -errno with what is missing: the device,
 * the permission, or something behind it that can run machines.
 */
int srcu_vm_check(char *why, size_t why_len);

struct srcu_vm {
	int kvm, fd;
	void *code; /* the page that the vCPUs run, or NULL */
};

#define SRCU_VM_INIT ((struct srcu_vm){ .kvm = -1, .fd = -1 })

/*
 * Makes a machine; length is how long KVM_CREATE_VM took, in ns. A signal for somebody else
 * makes the call return EINTR, then it is made again, a few times. Returns 0 or -errno after a
 * message.
 */
int srcu_vm_open(struct srcu_vm *vm, uint64_t *length);
void srcu_vm_close(struct srcu_vm *vm);

/* Value of a KVM_CAP_*, 0 when there is none. */
uint64_t srcu_vm_capability(const struct srcu_vm *vm, int capability);

struct srcu_vcpu {
	int fd;
	void *run; /* struct kvm_run */
	size_t run_len;
};

#define SRCU_VCPU_INIT ((struct srcu_vcpu){ .fd = -1 })

/*
 * A vCPU whose program leaves the guest in an endless loop (arch.h). Returns 0,
 * -EOPNOTSUPP without a message on an architecture we have no program for, or -errno after one.
 */
int srcu_vcpu_open(struct srcu_vcpu *vcpu, struct srcu_vm *vm, unsigned int id);
void srcu_vcpu_close(struct srcu_vcpu *vcpu);

/* Runs until the guest leaves once. Returns 0, -EINTR, or -errno after a message. */
int srcu_vcpu_exit(struct srcu_vcpu *vcpu);

#endif
