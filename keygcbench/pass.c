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

/* A seeded delay, so that perturbed runs sample the phase of the timer and yet repeat. */
static void perturb(struct sb_run *run)
{
	struct keygc_state *state = keygc_state(run);

	if (!run->seed)
		return;
	keys_shuffle(&state->set, &state->random);
	sb_perturb(&state->random);
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
	collect_origin(run, &c);
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
	if (!ret)
		ret = collect_complete(run, &c);
	more = probes ? probes_finish(run, probes) : 0;
	return ret ? ret : more;
}

int pass_clean(struct sb_run *run)
{
	struct keygc_state *state = keygc_state(run);
	uint64_t began = sb_now_ns();
	struct quota q;

	keys_drop(&state->set);
	for (;;) {
		uint64_t limit = sb_stopped() ? CLEAN_STOPPED_NS : CLEAN_NS;

		int ret = quota_read(&q, state->owner);

		if (ret)
			return sb_err(ret, "reading /proc/key-users");
		if (q.nkeys <= state->baseline)
			return 0;
		if (sb_now_ns() - began > limit)
			break;
		sb_sleep_ns(CLEAN_LOOK_NS);
	}
	sb_progress_clear(&run->progress);
	sb_msg("%" PRIu64 " dead keys still wait for the kernel's collector",
	       q.nkeys - state->baseline);
	return -ETIMEDOUT;
}

/* Failed calls are counted, never timed: those that made keys, and those that let them go. */
static int count_failures(struct sb_run *run)
{
	const struct keyset *set = &keygc_state(run)->set;
	struct sb_series *s;

	if (!set->errors)
		return 0;
	s = sb_series(run, set->keys < set->planned ? "add_key" : "drain");
	if (!s)
		return -ENOMEM;
	s->errors += set->errors;
	return 0;
}

static int pass(struct sb_run *run, const struct pass_plan *plan,
		int (*measure)(struct sb_run *run, const struct pass_plan *plan))
{
	int ret = measure(run, plan);
	int failures = count_failures(run);
	int clean = pass_clean(run);

	ret = ret ? ret : failures;
	return ret ? ret : clean;
}

int pass_both(struct sb_run *run, const struct pass_plan *plan)
{
	int ret = pass(run, plan, watch);

	return ret ? ret : pass(run, plan, probe);
}
