// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <sched.h>

#include "place.h"

int srcu_place_pin(const struct sb_list *cpus)
{
	cpu_set_t wanted, got;

	if (!cpus->count)
		return 0;
	CPU_ZERO(&wanted);
	for (unsigned int i = 0; i < cpus->count; i++)
		CPU_SET(cpus->value[i], &wanted);
	if (sched_setaffinity(0, sizeof(wanted), &wanted))
		return sb_err(errno, "--cpu: none of these CPUs may be used");
	/* The kernel drops silently what it does not have. */
	if (sched_getaffinity(0, sizeof(got), &got))
		return sb_err(errno, "sched_getaffinity");
	for (unsigned int i = 0; i < cpus->count; i++) {
		if (!CPU_ISSET(cpus->value[i], &got)) {
			sb_msg("--cpu: CPU %" PRIu64 " is not there", cpus->value[i]);
			return -EINVAL;
		}
	}
	return 0;
}

int srcu_place_schedule(enum srcu_sched sched)
{
	const struct sched_param lowest = { .sched_priority =
						    sched_get_priority_min(SCHED_FIFO) };

	if (sched == SRCU_SCHED_OTHER)
		return 0;
	return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) ? -errno : 0;
}
