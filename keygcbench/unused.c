// SPDX-License-Identifier: GPL-2.0-only
/* Phase unused: keys whose last reference goes away. */
#include "pass.h"

static int let_go(struct sb_run *run)
{
	enum keys_release how = (enum keys_release)keygc_params(run)->release;

	return keys_release(run, &keygc_state(run)->set, how);
}

int phase_unused(struct sb_run *run)
{
	enum keys_release how = (enum keys_release)keygc_params(run)->release;
	const struct pass_plan plan = {
		.let_go = let_go,
		/* Dropped keyrings go with their keys; in all other cases they stay. */
		.rings_stay = how != KEYS_RING,
	};

	return pass_both(run, &plan);
}
