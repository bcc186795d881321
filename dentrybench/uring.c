// SPDX-License-Identifier: GPL-2.0-only
/*
 * Batches of IORING_OP_OPENAT with O_PATH. STATX would be the closer relative of stat(2), but
 * the kernel always hands it to worker threads (io_uring/statx.c); OPENAT first tries whether
 * the dcache alone can answer (LOOKUP_CACHED, io_uring/openclose.c), and only a look-up that
 * it cannot answer goes to a worker. Files that are found go into slots of a table of the
 * ring's own, each over the one before, so that no second operation closes them.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdlib.h>
#include <unistd.h>

#include "../core/clock.h"
#include "../core/stop.h"
#include "engine.h"
#include "name.h"

#define BATCH 64

struct batch {
	struct io_uring ring;
	struct dentry_name name[BATCH]; /* a worker reads them later */
};

static void uring_close(void *state)
{
	struct batch *b = state;

	io_uring_queue_exit(&b->ring);
	free(b);
}

/* Needs Linux 5.19: a table of slots that is empty at first, and slots that are replaced. */
static int uring_open(void **state)
{
	struct batch *b = calloc(1, sizeof(*b));
	unsigned int cpus = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int workers[2] = { cpus, cpus }; /* bounded and unbounded */
	int ret;

	if (!b)
		return -ENOMEM;
	ret = io_uring_queue_init(BATCH, &b->ring, 0);
	if (ret) {
		free(b);
		return ret;
	}
	ret = io_uring_register_files_sparse(&b->ring, BATCH);
	/* More workers than CPUs would measure the scheduler. */
	if (!ret)
		ret = io_uring_register_iowq_max_workers(&b->ring, workers);
	if (ret)
		uring_close(b);
	else
		*state = b;
	return ret;
}

/* Waits for all of the batch even if a signal comes: the kernel still reads the names. */
static void reap(struct batch *b, unsigned int count, bool hit, struct dentry_tally *tally)
{
	while (count) {
		struct io_uring_cqe *cqe;
		int ret = io_uring_wait_cqe(&b->ring, &cqe);

		if (ret == -EINTR)
			continue;
		if (ret) {
			while (count--)
				dentry_tally_add(tally, hit, ret);
			return;
		}
		dentry_tally_add(tally, hit, cqe->res);
		io_uring_cqe_seen(&b->ring, cqe);
		count--;
	}
}

/*
 * Returns how many the kernel took, and counts those. Fewer than count: err says why, and the
 * others stay in the ring, where the kernel never reads them.
 */
static unsigned int submit(struct batch *b, unsigned int count, bool hit,
			   struct dentry_tally *tally, int *err)
{
	unsigned int sent = 0;

	*err = 0;
	while (sent < count && !*err) {
		int ret = io_uring_submit_and_wait(&b->ring, count);

		if (ret > 0)
			sent += (unsigned int)ret;
		else if (ret != -EINTR && ret != -EAGAIN && ret != -EBUSY)
			*err = ret ? ret : -EIO;
		else if (sb_stopped())
			*err = -EINTR;
	}
	reap(b, sent, hit, tally);
	return sent;
}

/* False when the ring has no room: something was left in it when an earlier task failed. */
static bool fill(struct batch *b, const struct dentry_span *span, unsigned int count,
		 uint64_t *number)
{
	for (unsigned int i = 0; i < count; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&b->ring);

		if (!sqe)
			return false;
		dentry_name_set(&b->name[i], *number);
		if (++*number == span->wrap)
			*number = 0;
		io_uring_prep_openat_direct(sqe, span->dir, b->name[i].text, O_PATH, 0, i);
	}
	return true;
}

/* The look-ups from number @from on, of which @counted are counted already, were not made. */
static void give_up(const struct dentry_span *span, uint64_t from, unsigned int counted,
		    int err, struct dentry_tally *tally)
{
	for (uint64_t i = from; i < span->count; i++) {
		if (span->ns)
			span->ns[i] = DENTRY_NO_TIME;
		if (i >= from + counted)
			dentry_tally_add(tally, span->hit, err);
	}
}

static void look_up(void *state, const struct dentry_span *span, struct dentry_tally *tally)
{
	struct batch *b = state;
	/* A look-up that is timed goes alone. */
	unsigned int most = span->ns ? 1 : BATCH;
	uint64_t number = span->first;

	for (unsigned int i = 0; i < most; i++)
		dentry_name_init(&b->name[i], span->kind, span->run_id, span->name_length);
	for (uint64_t done = 0; done < span->count && !sb_stopped();) {
		uint64_t left = span->count - done, begin, errors = tally->errors;
		unsigned int count = left < most ? (unsigned int)left : most, sent;
		int err;

		if (!fill(b, span, count, &number)) {
			give_up(span, done, 0, -EBUSY, tally);
			return;
		}
		begin = span->ns ? sb_now_ns() : 0;
		sent = submit(b, count, span->hit, tally, &err);
		if (err) {
			give_up(span, done, sent, err, tally);
			return;
		}
		if (span->ns)
			span->ns[done] =
				tally->errors == errors ? sb_now_ns() - begin : DENTRY_NO_TIME;
		done += count;
	}
}

const struct dentry_engine dentry_engine_uring = {
	.name = "uring", .open = uring_open, .close = uring_close, .look_up = look_up
};
