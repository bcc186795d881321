// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded into srcubench: makes ioctls of KVM fail. KVMFAULT_EINTR=N: the first N
 * KVM_CREATE_VM; KVMFAULT_SLOT=N: the Nth KVM_SET_USER_MEMORY_REGION and all after it, ENOMEM.
 */
#include <errno.h>
#include <linux/kvm.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? atol(text) : otherwise;
}

int ioctl(int fd, unsigned long request, ...)
{
	static long created, slots;
	void *arg;
	va_list ap;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request == KVM_CREATE_VM && created++ < number("KVMFAULT_EINTR", 0)) {
		errno = EINTR;
		return -1;
	}
	if (request == KVM_SET_USER_MEMORY_REGION &&
	    ++slots >= number("KVMFAULT_SLOT", 1L << 40)) {
		errno = ENOMEM;
		return -1;
	}
	return (int)syscall(SYS_ioctl, fd, request, arg);
}
