// SPDX-License-Identifier: GPL-2.0-only
#include "ordered.h"

#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../core/msg.h"

/* Any real-time priority is above all that is not. */
static const struct sched_param above = { .sched_priority = 1 };
static const struct sched_param usual = { .sched_priority = 0 };

static bool allowed(void)
{
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &above))
		return false;
	/* RESET_ON_FORK cannot be taken back by everybody, and harms nobody. */
	sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &usual);
	return true;
}

/* A name in no file system: it goes with the process, whatever ends that. */
static int take(int cpu)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int len = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "stallbench-cpu-%d",
			   cpu);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 &&
	    bind(fd, (const struct sockaddr *)&name,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void ordered_prepare(struct ordered *o, bool wanted)
{
	cpu_set_t cpus;
	int count, nth, here = sched_getcpu();

	*o = (struct ordered){ .cpu = -1, .lock = -1 };
	if (!wanted)
		return;
	if (!allowed() || sched_getaffinity(0, sizeof(cpus), &cpus)) {
		sb_msg("QEMU's threads cannot be ordered (CAP_SYS_NICE, or ulimit -r): on a busy "
		       "machine figures of virtual time may differ by nanoseconds");
		return;
	}
	/*
	 * From where this process happens to run: guests in network namespaces of their own do
	 * not see each other's names, and should not all take the first CPU.
	 */
	for (int i = 0; i < CPU_SETSIZE && o->lock < 0; i++) {
		int cpu = ((here < 0 ? 0 : here) + i) % CPU_SETSIZE;

		if (!CPU_ISSET(cpu, &cpus))
			continue;
		o->lock = take(cpu);
		if (o->lock >= 0)
			o->cpu = cpu;
	}
	if (o->cpu >= 0)
		return;
	/* More guests than CPUs: spread. */
	count = CPU_COUNT(&cpus);
	nth = (int)(getpid() % count);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus) && nth-- == 0)
			o->cpu = cpu;
}

void ordered_apply(const struct ordered *o)
{
	cpu_set_t one;

	if (o->cpu < 0)
		return;
	CPU_ZERO(&one);
	CPU_SET(o->cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &above);
}
