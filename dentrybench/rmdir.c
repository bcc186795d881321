// SPDX-License-Identifier: GPL-2.0-only
/* Phase rmdir: removing a directory frees the negative dentries in it, in the caller's time. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../core/clock.h"
#include "dentrybench.h"
#include "effect.h"

static int remove_dirs(struct sb_run *run, struct dentry_dirs *dirs, uint64_t *ns)
{
	int ret = 0;

	(void)run;
	dentry_dirs_close(dirs);
	for (unsigned int i = 0; i < dirs->count && !ret; i++) {
		char *path = dentry_dirs_path(dirs, i);
		uint64_t begin = sb_now_ns();

		if (!path)
			return -ENOMEM;
		if (rmdir(path))
			ret = sb_err(errno, "rmdir %s", path);
		*ns += sb_now_ns() - begin;
		free(path);
	}
	return ret;
}

int dentry_phase_rmdir(struct sb_run *run)
{
	return dentry_effect_run(run, remove_dirs);
}
