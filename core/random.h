/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SB_RANDOM_H
#define SB_RANDOM_H

#include <stdint.h>

/* Seeded generator (splitmix64, Steele et al. 2014): the same on every machine and libc. */
uint64_t sb_random(uint64_t *state);

#endif
