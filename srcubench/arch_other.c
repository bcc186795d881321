// SPDX-License-Identifier: GPL-2.0-only
/* Architectures we have no program and no firmware for: memory slots alone. */
#if !defined(__x86_64__) && !defined(__aarch64__)
#include "arch.h"

const struct srcu_arch srcu_arch = { .program = NULL };
#endif
