/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two passes of every phase. The first watches the collector and nothing else; the second
 * does the same again with probes, whose own calls would disturb what the first one measures.
 */
#ifndef KEYGC_PASS_H
#define KEYGC_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "keygcbench.h"

struct pass_plan {
	/* What comes before the keys are let go; may be NULL. 0, -EINTR, or -errno after a
	 * message. */
	int (*arm)(struct sb_run *run);
	/* Lets all keys of the set go; NULL = they go by themselves once armed. Returns as arm.
	 */
	int (*let_go)(struct sb_run *run);
	bool rings_stay; /* the keyrings outlive their keys */
};

/* Returns 0 or -errno after a message, as a phase does. */
int pass_both(struct sb_run *run, const struct pass_plan *plan);

/*
 * Waits until everything a pass left behind is gone, so that the next one starts from the
 * same place; on a signal, too. Returns 0, or -errno after a message, which says how many keys
 * are left if they do not go.
 */
int pass_clean(struct sb_run *run);

#endif
