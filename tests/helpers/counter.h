/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU's own counter of time, read without the kernel; the one place here that knows the
 * architecture. */
#ifndef TESTS_COUNTER_H
#define TESTS_COUNTER_H

#include <stdint.h>

static inline uint64_t counter(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
#else
	return 0;
#endif
}

#endif
