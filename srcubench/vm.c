// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../core/clock.h"
#include "../core/msg.h"
#include "../core/stop.h"
#include "vm.h"

#define DEVICE "/dev/kvm"
/* The one there is since 2.6.22 (Documentation/virt/kvm/api.rst). */
#define API 12
/* mm_take_all_locks(), for the mmu notifier, gives up when a signal is pending. */
#define TRIES 10

static int open_device(char *why, size_t why_len)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC), err = errno;

	if (fd >= 0)
		return fd;
	switch (err) {
	case ENOENT:
		snprintf(why, why_len,
			 "no " DEVICE " (a kernel without KVM, a CPU without "
			 "virtualization, or the module is not loaded)");
		break;
	case EACCES:
	case EPERM:
		snprintf(why, why_len, DEVICE ": %s (not in its group?)", strerror(err));
		break;
	default:
		snprintf(why, why_len, DEVICE ": %s (a node with no driver behind it?)",
			 strerror(err));
	}
	return -err;
}

static int create(int kvm, uint64_t *length)
{
	for (int i = 0;; i++) {
		uint64_t start = sb_now_ns();
		int fd = ioctl(kvm, KVM_CREATE_VM, 0), err = errno;

		*length = sb_now_ns() - start;
		if (fd >= 0)
			return fd;
		if (err != EINTR || i == TRIES - 1 || sb_stopped())
			return -err;
	}
}

int srcu_vm_check(char *why, size_t why_len)
{
	int kvm = open_device(why, why_len), version, fd;
	uint64_t length;

	if (kvm < 0)
		return kvm;
	version = ioctl(kvm, KVM_GET_API_VERSION, 0);
	fd = version == API ? create(kvm, &length) : -ENOTTY;
	if (version != API)
		snprintf(why, why_len, DEVICE " is not KVM, or not of version %d", API);
	else if (fd < 0)
		snprintf(why, why_len,
			 "KVM_CREATE_VM: %s (" DEVICE " is there, nothing usable behind it)",
			 strerror(-fd));
	else
		close(fd);
	close(kvm);
	return fd < 0 ? fd : 0;
}

int srcu_vm_open(struct srcu_vm *vm, uint64_t *length)
{
	char why[256];

	*vm = SRCU_VM_INIT;
	vm->kvm = open_device(why, sizeof(why));
	if (vm->kvm < 0) {
		sb_msg("%s", why);
		return vm->kvm;
	}
	vm->fd = create(vm->kvm, length);
	return vm->fd < 0 ? sb_err(vm->fd, "KVM_CREATE_VM") : 0;
}

void srcu_vm_close(struct srcu_vm *vm)
{
	if (vm->fd >= 0)
		close(vm->fd);
	if (vm->kvm >= 0)
		close(vm->kvm);
	if (vm->code)
		munmap(vm->code, (size_t)sysconf(_SC_PAGESIZE));
	*vm = SRCU_VM_INIT;
}

uint64_t srcu_vm_capability(const struct srcu_vm *vm, int capability)
{
	int value = ioctl(vm->fd, KVM_CHECK_EXTENSION, capability);

	return value > 0 ? (uint64_t)value : 0;
}
