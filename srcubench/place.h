/* SPDX-License-Identifier: GPL-2.0-only */
/* Where and how the caller runs: which CPUs, which scheduling class. */
#ifndef SRCUBENCH_PLACE_H
#define SRCUBENCH_PLACE_H

#include "../core/bench.h"

enum srcu_sched { SRCU_SCHED_OTHER, SRCU_SCHED_FIFO };

/*
 * Pins this thread, and with it the readers to come, to the CPUs listed; an empty list leaves
 * it alone. Returns 0, or -EINVAL after a message when one of them is not there.
 */
int srcu_place_pin(const struct sb_list *cpus);

/*
 * Makes this thread, not those it will start, SCHED_FIFO of the lowest priority, or leaves it
 * as it is. Returns 0 or -errno, without a message.
 */
int srcu_place_schedule(enum srcu_sched sched);

#endif
