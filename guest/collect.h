/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes what arrives over the result channel into a folder. */
#ifndef GUEST_COLLECT_H
#define GUEST_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "chan.h"

/* Steps of a guest in their order; each is the moment it was reached. */
enum step {
	STEP_QEMU,  /* QEMU was started */
	STEP_INIT,  /* our init runs */
	STEP_START, /* the command starts */
	STEP_STOP,  /* it ended */
	STEP_END,   /* its files have arrived */
	STEP_GONE,  /* QEMU is gone */
	STEPS,
};

struct collect {
	int dir; /* folder's file descriptor */
	int fd;	 /* file being received, or -1 */
	char name[CHAN_NAME_MAX + 1];
	char part[CHAN_NAME_MAX + 16]; /* its name until the checksum is seen */
	uint64_t at_ns[STEPS];	       /* host clock; 0: not reached */
	uint64_t guest_us[STEPS];      /* guest clock, for the steps that the guest reports */
	uint64_t value;		       /* the end mark's */
};

extern const struct chan_sink collect_sink; /* its ctx is a struct collect */

/* Whether the guest may not have a file of that name: we write it ourselves. */
bool collect_reserved(const char *name);

/* Removes what is left of a file that did not arrive whole. */
void collect_abort(struct collect *c);

#endif
