// SPDX-License-Identifier: GPL-2.0-only
/*
 * Phase efi_replay: what firmware does to a machine when it writes to its emulated flash. The
 * flash is a read-only slot while it can be read like memory, and no slot at all while it takes
 * commands: each change of mode adds or deletes it, all other slots stay.
 */
#include <linux/kvm.h>

#include "round.h"

static int prepare(struct srcu_round *round)
{
	if (!srcu_vm_capability(&round->vm, KVM_CAP_READONLY_MEM))
		return sb_skip(round->run, "this KVM has no read-only memory slots");
	return srcu_create(round, round->slots.count - 1);
}

static int operate(struct srcu_round *round, uint64_t i)
{
	uint64_t flash = round->slots.count - 1;
	struct slot slot = slot_present(&round->slots, flash, 0, KVM_MEM_READONLY);
	int ret = srcu_change(round, flash, &slot);

	(void)i;
	return ret ? ret : srcu_delete(round, flash);
}

int srcu_phase_efi_replay(struct sb_run *run)
{
	const struct srcu_plan plan = { .prepare = prepare, .operate = operate };

	return srcu_round(run, &plan);
}
