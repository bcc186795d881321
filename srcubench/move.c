// SPDX-License-Identifier: GPL-2.0-only
/* Phase move: slots go to another guest-physical address and come back. */
#include "round.h"

static int prepare(struct srcu_round *round)
{
	return srcu_create(round, round->slots.count);
}

static int operate(struct srcu_round *round, uint64_t i)
{
	uint64_t count = round->slots.count;
	/* To the second place in even rounds over all slots, back in odd ones. */
	struct slot slot = slot_present(&round->slots, i % count, !(i / count % 2), 0);

	return srcu_change(round, i % count, &slot);
}

int srcu_phase_move(struct sb_run *run)
{
	const struct srcu_plan plan = { .prepare = prepare, .operate = operate };

	return srcu_round(run, &plan);
}
