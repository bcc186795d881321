// SPDX-License-Identifier: GPL-2.0-only
/* Phase drop_caches: writing 2 to vm.drop_caches frees all unused dentries and inodes. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "../core/clock.h"
#include "dentrybench.h"
#include "effect.h"

#define DROP_FILE "/proc/sys/vm/drop_caches"

static int drop(struct sb_run *run, struct dentry_dirs *dirs, uint64_t *ns)
{
	int fd = open(DROP_FILE, O_WRONLY | O_CLOEXEC), ret = 0;
	uint64_t begin;

	(void)run;
	(void)dirs;
	if (fd < 0)
		return sb_err(errno, DROP_FILE);
	begin = sb_now_ns();
	if (write(fd, "2", 1) != 1)
		ret = sb_err(errno, DROP_FILE);
	*ns += sb_now_ns() - begin;
	close(fd);
	return ret;
}

int dentry_phase_drop_caches(struct sb_run *run)
{
	int ret = dentry_may_disturb(run);

	return ret ? ret : dentry_effect_run(run, drop);
}
