/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the threads of a QEMU whose clock counts instructions take turns in one order. */
#ifndef GUEST_ORDERED_H
#define GUEST_ORDERED_H

#include <stdbool.h>

/*
 * QEMU's main loop is woken whenever a timer of the guest has expired, and looks whether the
 * vCPU is idle, to move the clock on. If that happens between a HLT and the accounting of its
 * instructions (helper_hlt() and icount_process_data() of QEMU 7.2), the clock moves from where
 * it was a few instructions ago. How often is a matter of the host's scheduler: on a busy
 * machine about once in 10,000 sleeps of the guest, each time by some nanoseconds.
 *
 * So both threads get one CPU, and the main loop a real-time priority: it runs as soon as it is
 * woken, and is done before the vCPU goes on. That needs CAP_SYS_NICE, or a limit of real-time
 * priorities that is not 0.
 */
struct ordered {
	int cpu;  /* -1: not allowed, or not wanted */
	int lock; /* keeps other guests off that CPU as long as it is open, or -1 */
};

/*
 * If it is wanted, picks a CPU that no other such guest has; says so if it is not allowed.
 * Cannot fail.
 */
void ordered_prepare(struct ordered *o, bool wanted);

/* In the process that is about to become QEMU. Threads that it starts are not real-time. */
void ordered_apply(const struct ordered *o);

#endif
