/* SPDX-License-Identifier: GPL-2.0-only */
/* Measuring with kernel.keys.gc_delay = 0, so that expired keys go when they expire. */
#ifndef KEYGC_GCDELAY_H
#define KEYGC_GCDELAY_H

struct sb_run;

/*
 * Sets the delay to 0, measures, and puts the delay back. The kernel reads it when a timeout is
 * set. Returns what measure does, -SB_SKIP where it may not be set, or -errno after a message.
 */
int gcdelay_none(struct sb_run *run, int (*measure)(struct sb_run *run));

#endif
