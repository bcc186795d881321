// SPDX-License-Identifier: GPL-2.0-only
/*
 * Phase expiry_lost: keys that the kernel forgets to let expire. When a pass of the collector
 * ends, it looks when the next key will expire. If that time has come already, it queues itself
 * at once, but without the flag that makes it look for links to expired keys
 * (key_schedule_gc(), security/keys/gc.c): those keys stay until another key's timer goes off.
 *
 * A round provokes that. One key expires in second T, with the collector's timer going off
 * late in it, as it does when the timeout was set late in a second; some others expire in T
 * + 1. A keyring full of keys that live on makes the pass for the first key last into T + 1.
 */
#include <errno.h>
#include <inttypes.h>

#include "../core/clock.h"
#include "../core/stop.h"
#include "gcdelay.h"
#include "pass.h"
#include "seconds.h"

/* Keys that expire in the second that the pass ends in. */
#define LATE 100
#define ROUND_KEYS (LATE + 1)
/*
 * The timer goes off at this part of a second, a little earlier each round, and later by up to
 * 8 jiffies (the timer wheel's rounding of a delay of a second at HZ=250): on one machine a
 * pass takes 5 ms, on another 50.
 */
#define FIRST_NS (990 * SB_NS_PER_MS)
#define STEP_NS (10 * SB_NS_PER_MS)
/* How long after T + 1 a key counts as left behind: a timer set for then has gone off. */
#define GRACE_S 3
#define DROP_NS (10 * SB_NS_PER_S)
#define LOOK_NS (10 * SB_NS_PER_MS)

struct keys {
	key_serial_t early, late[LATE];
};

static key_serial_t add(struct keyset *set, uint64_t *number)
{
	char desc[KEYS_DESC_LEN + 1];

	keys_describe(desc, (*number)++);
	return add_key("user", desc, "", 1, set->ring[0]);
}

static int add_keys(struct keyset *set, struct keys *keys, uint64_t *number)
{
	keys->early = add(set, number);
	if (keys->early < 0)
		return sb_err(errno, "adding a key to expire");
	for (int i = 0; i < LATE; i++) {
		keys->late[i] = add(set, number);
		if (keys->late[i] < 0)
			return sb_err(errno, "adding a key to expire");
	}
	return 0;
}

static int set_timeouts(const struct keys *keys, unsigned int seconds)
{
	for (int i = 0; i < LATE; i++)
		if (keyctl_set_timeout(keys->late[i], seconds) < 0)
			return sb_err(errno, "setting timeouts");
	return 0;
}

/* Whatever is left is let go by unlinking it, which does not depend on its expiry. */
static int drop(struct sb_run *run, const struct keys *keys, uint64_t floor)
{
	uint64_t began = sb_now_ns(), left = 0;
	int ret;

	for (int i = 0; i < LATE; i++)
		keyctl_unlink(keys->late[i], keygc_state(run)->set.ring[0]);
	do {
		sb_sleep_ns(LOOK_NS);
		ret = quota_beyond(keygc_state(run)->owner, floor, &left);
	} while (!ret && left && !sb_stopped() && sb_now_ns() - began < DROP_NS);
	if (!ret && sb_stopped())
		ret = -EINTR;
	return !ret && left ? sb_err(ETIMEDOUT, "letting %" PRIu64 " keys go", left) : ret;
}

static int one_round(struct sb_run *run, uint64_t number, uint64_t *serial, uint64_t floor)
{
	struct keygc_state *state = keygc_state(run);
	struct sb_series *lost = sb_series(run, "left_behind");
	/* Second T - 2; what expires in T is given its timeout in T - 1. */
	int64_t second;
	struct keys keys = { 0 };
	uint64_t left = 0;
	int ret = lost ? add_keys(&state->set, &keys, serial) : -ENOMEM;

	if (ret)
		return ret;
	second = seconds_now_ns() / (int64_t)SB_NS_PER_S + 1;
	ret = seconds_wait_kernel(run, second);
	if (!ret)
		ret = set_timeouts(&keys, 3);
	if (!ret)
		ret = seconds_wait(run,
				   (second + 1) * (int64_t)SB_NS_PER_S + FIRST_NS -
					   (int64_t)(number * STEP_NS),
				   2);
	if (!ret && keyctl_set_timeout(keys.early, 1) < 0)
		ret = sb_err(errno, "setting a timeout");
	if (!ret)
		ret = seconds_wait(run, (second + 3 + GRACE_S) * (int64_t)SB_NS_PER_S,
				   3 + GRACE_S);
	if (!ret)
		ret = quota_beyond(keygc_state(run)->owner, floor, &left);
	if (!ret)
		ret = sb_series_add(lost, (double)left);
	return ret ? ret : drop(run, &keys, floor);
}

static int rounds(struct sb_run *run)
{
	struct keygc_state *state = keygc_state(run);
	const struct keygc_params *params = keygc_params(run);
	uint64_t serial = run->scale, floor = 0;
	/* One keyring: the longest pass that these keys can make. */
	int ret = room_make(run, run->scale + ROUND_KEYS);

	state->baseline = state->quota.nkeys;
	if (!ret)
		ret = keys_make(run, &state->set, run->scale, 1, params->payload);
	/* A timeout may only be set by who possesses the key. */
	if (!ret && keyctl_link(state->set.ring[0], KEY_SPEC_PROCESS_KEYRING) < 0)
		ret = sb_err(errno, "linking the keyring");
	if (!ret)
		ret = quota_beyond(keygc_state(run)->owner, 0, &floor);
	sb_progress_step(&run->progress, "rounds", params->rounds);
	for (uint64_t i = 0; i < params->rounds && !ret; i++) {
		sb_progress_at(&run->progress, i);
		ret = one_round(run, i, &serial, floor);
	}
	return ret;
}

static int measure(struct sb_run *run)
{
	int ret = rounds(run);
	int clean = pass_clean(run);

	return ret ? ret : clean;
}

int phase_expiry_lost(struct sb_run *run)
{
	return gcdelay_none(run, measure);
}
