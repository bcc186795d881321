/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one clock of all samples. RAW, since ntpd slews CLOCK_MONOTONIC by up to 500 ppm while
 * a measurement runs; the trace instance uses the same clock ("mono_raw"), so that events and
 * samples share a time line.
 */
#ifndef SB_CLOCK_H
#define SB_CLOCK_H

#include <stdint.h>
#include <time.h>

#define SB_NS_PER_US 1000
#define SB_NS_PER_MS 1000000
#define SB_NS_PER_S 1000000000ULL

static inline uint64_t sb_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * SB_NS_PER_S + (uint64_t)ts.tv_nsec;
}

static inline double sb_us(uint64_t ns)
{
	return (double)ns / SB_NS_PER_US;
}

/* Sleeps at least so long, or until a signal comes. */
static inline void sb_sleep_ns(uint64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / SB_NS_PER_S),
			       .tv_nsec = (long)(ns % SB_NS_PER_S) };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

#endif
