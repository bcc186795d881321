/* SPDX-License-Identifier: GPL-2.0-only */
/* What all phases do alike: a machine, its slots, readers, and the clock around it all. */
#ifndef SRCUBENCH_ROUND_H
#define SRCUBENCH_ROUND_H

#include "reader.h"
#include "slot.h"
#include "srcubench.h"

struct srcu_round {
	struct sb_run *run;
	struct srcu_vm vm;
	struct srcu_vcpu vcpu; /* the machine's first one */
	struct slot_table slots;
	struct srcu_readers *readers;
	bool timed;	 /* changes are samples from now on */
	uint64_t origin; /* ns */
};

struct srcu_plan {
	/* Optional: the slots as they are before the first operation, not timed. */
	int (*prepare)(struct srcu_round *round);
	/* Operation i of sb_run.scale: one or more slot changes. */
	int (*operate)(struct srcu_round *round, uint64_t i);
};

/* A whole phase. Returns as sb_phase.run does. */
int srcu_round(struct sb_run *run, const struct srcu_plan *plan);

/*
 * Changes a slot; in operate the call is a sample of the metric that goes with the change.
 * Returns 0 or -errno after a message.
 */
int srcu_change(struct srcu_round *round, uint64_t index, const struct slot *to);

/* Creates slots [0, count) at their first place. Returns 0 or -errno after a message. */
int srcu_create(struct srcu_round *round, uint64_t count);

/* Deletes a slot. */
int srcu_delete(struct srcu_round *round, uint64_t index);

#endif
