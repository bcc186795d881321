/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as text, in the C locale whatever the environment says. */
#ifndef SB_NUM_H
#define SB_NUM_H

#include <stddef.h>
#include <stdint.h>

#define SB_NUM_LEN 32 /* room for any number sb_num writes, with its end */

/*
 * Writes the shortest decimal text that reads back as the same double; returns buf.
 * value must be finite.
 */
char *sb_num(char buf[SB_NUM_LEN], double value);

/* Writes 1234567 as "1,234,567": for people only, never for CSV. Returns buf. */
char *sb_num_grouped(char buf[SB_NUM_LEN], uint64_t value);

/*
 * Reads a whole number, with an optional k, M or G (powers of 1000), and nothing after it.
 * Returns 0, -EINVAL (not a number) or -ERANGE (does not fit 64 bits).
 */
int sb_parse_u64(const char *text, uint64_t *value);

/* Reads a finite decimal number and nothing after it. Returns 0, -EINVAL or -ERANGE. */
int sb_parse_double(const char *text, double *value);

#endif
