// SPDX-License-Identifier: GPL-2.0-only
#include "gcdelay.h"

#include <errno.h>
#include <inttypes.h>

#include "../core/num.h"
#include "keygcbench.h"

#define GC_DELAY "kernel/keys/gc_delay"

int gcdelay_none(struct sb_run *run, int (*measure)(struct sb_run *run))
{
	char before[SB_NUM_LEN];
	uint64_t delay;
	int ret = sb_sysctl_read(GC_DELAY, &delay);

	if (ret)
		return sb_err(ret, "reading /proc/sys/" GC_DELAY);
	ret = delay ? sb_sysctl_set(&run->sysctls, GC_DELAY, "0") : 0;
	if (ret == -EACCES || ret == -EPERM || ret == -EROFS)
		return sb_skip(run,
			       "expired keys stay for kernel.keys.gc_delay = %" PRIu64
			       " s, which "
			       "only root may set to 0",
			       delay);
	if (ret)
		return ret;
	ret = measure(run);
	snprintf(before, sizeof(before), "%" PRIu64, delay);
	if (delay && sb_sysctl_set(&run->sysctls, GC_DELAY, before) && !ret)
		ret = -EIO;
	return ret;
}
