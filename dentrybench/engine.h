/* SPDX-License-Identifier: GPL-2.0-only */
/* The ways to look names up: plain system calls, or batches through io_uring. */
#ifndef DENTRY_ENGINE_H
#define DENTRY_ENGINE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* Look-ups of one thread, one after the other. */
struct dentry_span {
	int dir; /* open directory */
	char kind;
	uint32_t run_id;
	unsigned int name_length;
	uint64_t first, count;
	uint64_t wrap; /* numbers begin again at 0 after wrap names; 0 = never */
	bool hit;      /* whether the names exist */
	uint64_t *ns;  /* time of each look-up, or NULL; DENTRY_NO_TIME for one that failed */
};

#define DENTRY_NO_TIME UINT64_MAX

/* How they went. One that ends otherwise than expected is an error. */
struct dentry_tally {
	uint64_t done, errors;
	int err; /* -errno of the first error; 0 when a name was found that should not be */
};

struct dentry_engine {
	const char *name;
	/* What a thread needs; engines without leave both out. Returns 0 or -errno. */
	int (*open)(void **state);
	void (*close)(void *state);
	/* Stops early on a signal. */
	void (*look_up)(void *state, const struct dentry_span *span,
			struct dentry_tally *tally);
};

extern const struct dentry_engine dentry_engine_sync, dentry_engine_uring;

/* Counts the end of one look-up: ret is 0 or more, or -errno. Returns whether it counts. */
static inline bool dentry_tally_add(struct dentry_tally *t, bool hit, int ret)
{
	t->done++;
	if (hit ? ret >= 0 : ret == -ENOENT)
		return true;
	if (!t->errors++)
		t->err = ret < 0 ? ret : 0;
	return false;
}

#endif
