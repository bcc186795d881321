/* SPDX-License-Identifier: GPL-2.0-only */
/* How long the machine's only CPU has been idle, so how long anything ran on it. */
#ifndef KEYGC_IDLE_H
#define KEYGC_IDLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Idle time since boot in ns, from /proc/timer_list: /proc/stat counts in 10 ms. False where
 * that cannot be read (it is root's) or there is more than one CPU: the time of a CPU that is
 * idle now is not up to date there.
 */
bool idle_read(uint64_t *ns);

#endif
