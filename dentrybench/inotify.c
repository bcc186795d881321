// SPDX-License-Identifier: GPL-2.0-only
/* Phase inotify_add: the first watch on a directory marks each of its dentries, under locks. */
#include <errno.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "../core/clock.h"
#include "dentrybench.h"
#include "effect.h"

static int watch(struct sb_run *run, struct dentry_dirs *dirs, uint64_t *ns)
{
	int fd = inotify_init1(IN_CLOEXEC), ret = 0;

	(void)run;
	if (fd < 0)
		return sb_err(errno, "inotify_init1");
	for (unsigned int i = 0; i < dirs->count && !ret; i++) {
		char *path = dentry_dirs_path(dirs, i);
		uint64_t begin = sb_now_ns();

		if (!path) {
			ret = -ENOMEM;
			break;
		}
		/* An event that its children have, too: else they need no mark. */
		if (inotify_add_watch(fd, path, IN_MODIFY | IN_CREATE) < 0)
			ret = sb_err(errno, "inotify_add_watch %s", path);
		*ns += sb_now_ns() - begin;
		free(path);
	}
	close(fd);
	return ret;
}

int dentry_phase_inotify_add(struct sb_run *run)
{
	return dentry_effect_run(run, watch);
}
