/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of files that are generated and never stored: any number of them in constant memory. */
#ifndef DENTRY_NAME_H
#define DENTRY_NAME_H

#include <stdint.h>

/* Kind, 10 digits of the number, 8 of the run, and one for the end of the shortest. */
#define DENTRY_NAME_LEAST 20
#define DENTRY_NAME_MOST 255 /* NAME_MAX */
#define DENTRY_NUMBERS (1ULL << 40)

struct dentry_name {
	char text[DENTRY_NAME_MOST + 1];
};

/*
 * Prepares names of length bytes (DENTRY_NAME_LEAST to DENTRY_NAME_MOST). Two names differ
 * when kind, run or number do.
 */
void dentry_name_init(struct dentry_name *name, char kind, uint32_t run, unsigned int length);

/* The name with this number, below DENTRY_NUMBERS. A few ns: look-ups are timed around it. */
void dentry_name_set(struct dentry_name *name, uint64_t number);

#endif
