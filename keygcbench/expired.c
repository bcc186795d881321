// SPDX-License-Identifier: GPL-2.0-only
/* Phase expired: keys that time out while they are linked. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <time.h>

#include "../core/clock.h"
#include "../core/num.h"
#include "../core/stop.h"
#include "collect.h"
#include "pass.h"

#define GC_DELAY "kernel/keys/gc_delay"
/* How late a wait may end on a busy machine. */
#define SLACK_S 10

static int64_t realtime_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * (int64_t)SB_NS_PER_S + ts.tv_nsec;
}

/* Later than that by a clock that nobody sets, and the other one has been set back. */
static bool set_back(uint64_t due_ns)
{
	return sb_now_ns() > due_ns + SLACK_S * SB_NS_PER_S;
}

static int say_set_back(void)
{
	return sb_err(ETIME, "waiting for keys to expire: the clock has been set back");
}

/*
 * Sleeps until a time of CLOCK_REALTIME, in short steps: it may be set meanwhile, and the trace
 * buffer must not run over. @most_s: how far away that can be, if nobody sets it.
 */
static int sleep_until(struct sb_run *run, int64_t ns, uint64_t most_s)
{
	uint64_t due = sb_now_ns() + most_s * SB_NS_PER_S;

	for (;;) {
		int64_t left = ns - realtime_ns();
		int ret = collect_poll(run);

		if (ret || left <= 0)
			return ret;
		if (sb_stopped())
			return -EINTR;
		if (set_back(due))
			return say_set_back();
		sb_sleep_ns(left > (int64_t)SB_NS_PER_S ? SB_NS_PER_S : (uint64_t)left);
	}
}

/*
 * The kernel's timer is set in whole seconds from the moment of the first timeout, so it is
 * late by that moment's distance from its second: begin early in one.
 */
static int let_expire(struct sb_run *run)
{
	struct keygc_state *state = keygc_state(run);
	uint64_t wait = keygc_params(run)->expiry;
	int64_t second = realtime_ns() / (int64_t)SB_NS_PER_S + 1;
	int ret = sleep_until(run, second * (int64_t)SB_NS_PER_S, 1);
	uint64_t due = sb_now_ns();

	/* Setting a timeout costs less than adding the key did: twice that is plenty. */
	if (!wait)
		wait = 1 + 2 * state->make_ns / SB_NS_PER_S;
	/* The kernel's own second turns with the next tick. */
	while (!ret && keys_kernel_second() < second) {
		sb_sleep_ns(SB_NS_PER_MS);
		if (set_back(due))
			ret = say_set_back();
		if (sb_stopped())
			ret = -EINTR;
	}
	if (!ret)
		ret = keys_set_expiry(run, &state->set, second + (int64_t)wait);
	if (!ret)
		ret = sleep_until(run, (second + (int64_t)wait) * (int64_t)SB_NS_PER_S,
				  wait + 1);
	return ret;
}

int phase_expired(struct sb_run *run)
{
	const struct pass_plan plan = { .arm = let_expire, .rings_stay = true };
	char before[SB_NUM_LEN];
	uint64_t delay;
	int ret = sb_sysctl_read(GC_DELAY, &delay);

	if (ret)
		return sb_err(ret, "reading /proc/sys/" GC_DELAY);
	/* Read by the kernel when a timeout is set, so before the first. */
	ret = delay ? sb_sysctl_set(&run->sysctls, GC_DELAY, "0") : 0;
	if (ret == -EACCES || ret == -EPERM || ret == -EROFS)
		return sb_skip(run,
			       "expired keys stay for kernel.keys.gc_delay = %" PRIu64
			       " s, which "
			       "only root may set to 0",
			       delay);
	if (ret)
		return ret;
	ret = pass_both(run, &plan);
	snprintf(before, sizeof(before), "%" PRIu64, delay);
	if (delay && sb_sysctl_set(&run->sysctls, GC_DELAY, before) && !ret)
		ret = -EIO;
	return ret;
}
