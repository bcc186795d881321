// SPDX-License-Identifier: GPL-2.0-only
#include "seconds.h"

#include <errno.h>
#include <time.h>

#include "../core/clock.h"
#include "../core/stop.h"
#include "collect.h"
#include "keygcbench.h"

int64_t seconds_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * (int64_t)SB_NS_PER_S + ts.tv_nsec;
}

int seconds_wait(struct sb_run *run, int64_t ns)
{
	for (;;) {
		int64_t left = ns - seconds_now_ns();
		int ret = collect_poll(run);

		if (ret || left <= 0)
			return ret;
		if (sb_stopped())
			return -EINTR;
		sb_sleep_ns(left > (int64_t)SB_NS_PER_S ? SB_NS_PER_S : (uint64_t)left);
	}
}

int seconds_wait_kernel(struct sb_run *run, int64_t second)
{
	int ret = seconds_wait(run, second * (int64_t)SB_NS_PER_S);

	while (!ret && keys_kernel_second() < second) {
		sb_sleep_ns(SB_NS_PER_MS);
		ret = sb_stopped() ? -EINTR : 0;
	}
	return ret;
}
