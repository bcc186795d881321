// SPDX-License-Identifier: GPL-2.0-only
/* One fstatat(2) per name, relative to its directory. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "../core/clock.h"
#include "../core/stop.h"
#include "engine.h"
#include "name.h"

static void look_up(void *state, const struct dentry_span *span, struct dentry_tally *tally)
{
	uint64_t number = span->first, begin = 0;
	struct dentry_name name;
	struct stat st;

	(void)state;
	dentry_name_init(&name, span->kind, span->run_id, span->name_length);
	for (uint64_t i = 0; i < span->count && !sb_stopped(); i++) {
		bool counts;

		dentry_name_set(&name, number);
		if (++number == span->wrap)
			number = 0;
		if (span->ns)
			begin = sb_now_ns();
		counts = dentry_tally_add(
			tally, span->hit,
			fstatat(span->dir, name.text, &st, AT_SYMLINK_NOFOLLOW) ? -errno : 0);
		if (span->ns)
			span->ns[i] = counts ? sb_now_ns() - begin : DENTRY_NO_TIME;
	}
}

const struct dentry_engine dentry_engine_sync = { .name = "sync", .look_up = look_up };
