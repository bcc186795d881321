// SPDX-License-Identifier: GPL-2.0-only
#include "seconds.h"

#include <errno.h>
#include <time.h>

#include "../core/clock.h"
#include "../core/stop.h"
#include "collect.h"
#include "keygcbench.h"

/* How late a wait may end on a busy machine. */
#define SLACK_S 10

int64_t seconds_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * (int64_t)SB_NS_PER_S + ts.tv_nsec;
}

/* Later than that by a clock that nobody sets, and the other one has been set back. */
static int late(uint64_t due_ns)
{
	if (sb_now_ns() <= due_ns + SLACK_S * SB_NS_PER_S)
		return 0;
	return sb_err(ETIME, "waiting for keys to expire: the clock has been set back");
}

int seconds_wait(struct sb_run *run, int64_t ns, uint64_t most_s)
{
	uint64_t due = sb_now_ns() + most_s * SB_NS_PER_S;

	for (;;) {
		int64_t left = ns - seconds_now_ns();
		int ret = collect_poll(run);

		if (ret || left <= 0)
			return ret;
		if (sb_stopped())
			return -EINTR;
		ret = late(due);
		if (ret)
			return ret;
		sb_sleep_ns(left > (int64_t)SB_NS_PER_S ? SB_NS_PER_S : (uint64_t)left);
	}
}

int seconds_wait_kernel(struct sb_run *run, int64_t second)
{
	int ret = seconds_wait(run, second * (int64_t)SB_NS_PER_S, 1);
	uint64_t due = sb_now_ns();

	while (!ret && keys_kernel_second() < second) {
		sb_sleep_ns(SB_NS_PER_MS);
		ret = sb_stopped() ? -EINTR : late(due);
	}
	return ret;
}
