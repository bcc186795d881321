/* SPDX-License-Identifier: GPL-2.0-only */
/* What a result depends on besides the kernel: recorded with every cell, compared by compare.
 */
#ifndef SB_ENV_H
#define SB_ENV_H

#include "csv.h"

/*
 * Writes key,value rows: kernel, command line, configuration, HZ, preemption, CPU, memory,
 * accelerator, clock, clocksource, governor, the facts named (sysctls below /proc/sys; with a
 * dot and no slash, a module's parameter as on the kernel's command line), and extra KEY=VALUE
 * texts. A sysctl that this kernel does not have is left out; whatever else cannot be found
 * out reads "unknown". Closes out. Returns 0 or -errno after a message.
 */
int sb_env_write(struct sb_csv *out, const char *const *facts, const char *const *extra,
		 unsigned int extra_count);

#endif
