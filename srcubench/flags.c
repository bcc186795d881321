// SPDX-License-Identifier: GPL-2.0-only
/* Phase flags: dirty logging is turned on and off again. */
#include <linux/kvm.h>

#include "round.h"

static int prepare(struct srcu_round *round)
{
	return srcu_create(round, round->slots.count);
}

static int operate(struct srcu_round *round, uint64_t i)
{
	uint64_t count = round->slots.count;
	uint32_t on = i / count % 2 ? 0 : KVM_MEM_LOG_DIRTY_PAGES;
	struct slot slot = slot_present(&round->slots, i % count, 0, on);

	return srcu_change(round, i % count, &slot);
}

int srcu_phase_flags(struct sb_run *run)
{
	const struct srcu_plan plan = { .prepare = prepare, .operate = operate };

	return srcu_round(run, &plan);
}
