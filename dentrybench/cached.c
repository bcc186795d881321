// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../core/stop.h"
#include "cached.h"
#include "dentrybench.h"
#include "name.h"

/* A rename anywhere can make the lockless walk give up: once more is free of side effects. */
#define TRIES 3

/* 1 or 0, or -EOPNOTSUPP. */
static int is_cached(int dir, const char *name)
{
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_CACHED };

	for (unsigned int i = 0; i < TRIES; i++) {
		int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));

		if (fd >= 0)
			close(fd);
		if (fd >= 0 || errno == ENOENT)
			return 1;
		if (errno != EAGAIN)
			return -EOPNOTSUPP;
	}
	return 0;
}

int dentry_cached_count(struct sb_run *run, const struct dentry_dirs *dirs, char kind,
			uint64_t first, uint64_t count, uint64_t *cached)
{
	struct dentry_name name;

	*cached = 0;
	dentry_name_init(&name, kind, dentry_bench(run)->run_id,
			 (unsigned int)dentry_params(run)->name_length);
	for (unsigned int d = 0; d < dirs->count; d++) {
		for (uint64_t i = 0; i < count; i++) {
			int ret;

			if (sb_stopped())
				return -EINTR;
			dentry_name_set(&name, first + i);
			ret = is_cached(dirs->fd[d], name.text);
			if (ret < 0)
				return ret;
			*cached += (uint64_t)ret;
		}
	}
	return 0;
}
