// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>

#include "../core/clock.h"
#include "../core/stop.h"
#include "collect.h"
#include "pass.h"
#include "probe.h"

/* Long enough for a million keys under emulation; a signal gives them less. */
#define CLEAN_NS (120 * SB_NS_PER_S)
#define CLEAN_STOPPED_NS (10 * SB_NS_PER_S)
#define CLEAN_LOOK_NS (5 * SB_NS_PER_MS)
/* Turns of an empty loop: up to about a tick, to start at another place between two ticks. */
#define PERTURB_TURNS 4000000

/* A seeded delay, so that perturbed runs sample the phase of the timer and yet repeat. */
static void perturb(struct sb_run *run)
{
	struct keygc_state *state = keygc_state(run);
	uint64_t turns;

	if (!run->seed)
		return;
	keys_shuffle(&state->set, &state->random);
	turns = sb_random(&state->random) % PERTURB_TURNS;
	for (volatile uint64_t i = 0; i < turns; i++)
		;
}

static int make(struct sb_run *run)
{
	struct keygc_state *state = keygc_state(run);
	const struct keygc_params *params = keygc_params(run);
	uint64_t began = sb_now_ns();
	int ret = room_make(run, run->scale);

	if (ret)
		return ret;
	state->baseline = state->quota.nkeys;
	ret = keys_make(run, &state->set, run->scale, params->keyrings, params->payload);
	state->make_ns = sb_now_ns() - began;
	if (!ret)
		perturb(run);
	return ret;
}

/* Keys of this user that remain when all of the set has been collected. */
static uint64_t floor_after(struct sb_run *run, const struct pass_plan *plan)
{
	struct keygc_state *state = keygc_state(run);
	uint64_t holder = 1;

	return state->baseline + holder + state->set.living +
	       (plan->rings_stay ? state->set.rings : 0);
}

static int watch(struct sb_run *run, const struct pass_plan *plan)
{
	struct collection c = { 0 };
	atomic_uint_fast64_t floor;
	int ret = make(run);

	if (!ret)
		ret = collect_start(run);
	if (!ret && plan->arm)
		ret = plan->arm(run);
	c.origin = sb_now_ns();
	if (!ret && plan->let_go)
		ret = plan->let_go(run);
	atomic_init(&floor, floor_after(run, plan));
	if (!ret)
		ret = collect_wait(run, &c, &floor);
	if (!ret)
		ret = collect_finish(run, &c);
	return ret;
}

static int probe(struct sb_run *run, const struct pass_plan *plan)
{
	struct collection c = { 0 };
	struct probes *probes = NULL;
	/* The probes' own keys raise it: they must not hide the last of ours. */
	atomic_uint_fast64_t floor;
	int ret = make(run), more;

	if (!ret && plan->arm)
		ret = plan->arm(run);
	if (ret)
		return ret;
	atomic_init(&floor, floor_after(run, plan));
	ret = probes_start(run, &probes, &floor);
	if (!ret && plan->let_go)
		ret = plan->let_go(run);
	if (!ret)
		ret = collect_wait(run, &c, &floor);
	more = probes ? probes_finish(run, probes) : 0;
	return ret ? ret : more;
}

void pass_clean(struct sb_run *run)
{
	struct keygc_state *state = keygc_state(run);
	uint64_t began = sb_now_ns();
	struct quota q;

	keys_drop(&state->set);
	for (;;) {
		uint64_t limit = sb_stopped() ? CLEAN_STOPPED_NS : CLEAN_NS;

		if (quota_read(&q, state->owner) || q.nkeys <= state->baseline)
			return;
		if (sb_now_ns() - began > limit)
			break;
		sb_sleep_ns(CLEAN_LOOK_NS);
	}
	sb_msg("%" PRIu64 " dead keys still wait for the kernel's collector",
	       q.nkeys - state->baseline);
}

int pass_both(struct sb_run *run, const struct pass_plan *plan)
{
	int ret = watch(run, plan);

	pass_clean(run);
	if (ret)
		return ret;
	ret = probe(run, plan);
	pass_clean(run);
	return ret;
}
