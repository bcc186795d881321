// SPDX-License-Identifier: GPL-2.0-only
/* Phase churn: slots come and go. One operation is a new slot and the end of the oldest. */
#include "round.h"

/* All but one are there, so that each operation begins with --slots - 1 of them. */
static int prepare(struct srcu_round *round)
{
	return srcu_create(round, round->slots.count - 1);
}

static int operate(struct srcu_round *round, uint64_t i)
{
	uint64_t count = round->slots.count, newest = (i + count - 1) % count;
	struct slot slot = slot_present(&round->slots, newest, 0, 0);
	int ret = srcu_change(round, newest, &slot);

	return ret ? ret : srcu_delete(round, i % count);
}

int srcu_phase_churn(struct sb_run *run)
{
	const struct srcu_plan plan = { .prepare = prepare, .operate = operate };

	return srcu_round(run, &plan);
}
