// SPDX-License-Identifier: GPL-2.0-only
/* Phase expired: keys that time out while they are linked. */
#include "../core/clock.h"
#include "gcdelay.h"
#include "pass.h"
#include "seconds.h"

/*
 * The kernel's timer is set in whole seconds from the moment of the first timeout, so it is
 * late by that moment's distance from its second: begin early in one.
 */
static int let_expire(struct sb_run *run)
{
	struct keygc_state *state = keygc_state(run);
	uint64_t wait = keygc_params(run)->expiry;
	int64_t second = seconds_now_ns() / (int64_t)SB_NS_PER_S + 1;
	int ret = seconds_wait_kernel(run, second);

	/* Setting a timeout costs less than adding the key did: twice that is plenty. */
	if (!wait)
		wait = 1 + 2 * state->make_ns / SB_NS_PER_S;
	if (!ret)
		ret = keys_set_expiry(run, &state->set, second + (int64_t)wait);
	if (!ret)
		ret = seconds_wait(run, (second + (int64_t)wait) * (int64_t)SB_NS_PER_S,
				   wait + 1);
	return ret;
}

static int measure(struct sb_run *run)
{
	const struct pass_plan plan = { .arm = let_expire, .rings_stay = true };

	return pass_both(run, &plan);
}

int phase_expired(struct sb_run *run)
{
	return gcdelay_none(run, measure);
}
