// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../core/clock.h"
#include "../core/stop.h"
#include "reader.h"

#define START_NS (30 * SB_NS_PER_S)
#define START_LOOK_NS SB_NS_PER_MS

struct reader {
	struct srcu_readers *all;
	pthread_t thread;
	bool runs;
	struct srcu_vcpu vcpu;
	char *page;
	atomic_uint_fast64_t done;
	atomic_int failed; /* -errno */
	uint64_t mark;
};

struct srcu_readers {
	unsigned int count;
	enum srcu_reader_kind kind;
	atomic_bool stop;
	struct reader reader[];
};

/* Everything between two entries into the guest is one read section (vcpu_run()). */
static int work_vcpu(struct reader *r)
{
	int ret = srcu_vcpu_exit(&r->vcpu);

	return ret == -EINTR ? 0 : ret;
}

/* The mmu notifier looks for the range among the slots (kvm_handle_hva_range()). */
static int work_madvise(struct reader *r)
{
	*(volatile char *)r->page = 1;
	if (madvise(r->page, (size_t)sysconf(_SC_PAGESIZE), MADV_DONTNEED))
		return sb_err(errno, "madvise");
	return 0;
}

static void *reader_main(void *data)
{
	struct reader *r = data;
	int ret = 0;

	while (!atomic_load_explicit(&r->all->stop, memory_order_relaxed)) {
		ret = r->all->kind == SRCU_READER_VCPU ? work_vcpu(r) : work_madvise(r);
		if (ret)
			break;
		atomic_fetch_add_explicit(&r->done, 1, memory_order_relaxed);
	}
	atomic_store(&r->failed, ret);
	return NULL;
}

static int prepare_vcpu(struct sb_run *run, struct reader *r, struct srcu_vm *vm,
			unsigned int id)
{
	int ret = srcu_vcpu_open(&r->vcpu, vm, id);

	if (ret == -EOPNOTSUPP)
		return sb_skip(run,
			       "--reader-kind vcpu: no vCPU program for this architecture");
	return ret;
}

static int prepare_madvise(struct reader *r)
{
	r->page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r->page != MAP_FAILED)
		return 0;
	r->page = NULL;
	return sb_err(errno, "mapping a page for a reader");
}

/* Signals are for the main thread, which alone knows how to stop. */
static int start_thread(struct reader *r)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&r->thread, NULL, reader_main, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	r->runs = !err;
	return err ? sb_err(err, "starting a reader") : 0;
}

static int wait_for_first(const struct srcu_readers *all)
{
	uint64_t began = sb_now_ns();

	for (unsigned int i = 0; i < all->count; i++) {
		const struct reader *r = &all->reader[i];

		while (!atomic_load(&r->done)) {
			if (sb_stopped())
				return -EINTR;
			if (atomic_load(&r->failed))
				return atomic_load(&r->failed);
			if (sb_now_ns() - began > START_NS)
				return sb_err(ETIMEDOUT, "reader %u has not done anything yet",
					      i);
			sb_sleep_ns(START_LOOK_NS);
		}
	}
	return 0;
}

int srcu_readers_start(struct sb_run *run, struct srcu_vm *vm, struct srcu_readers **readers)
{
	const struct srcu_params *params = srcu_params(run);
	unsigned int count = (unsigned int)params->readers;
	struct srcu_readers *all;
	int ret = 0;

	*readers = NULL;
	if (!count)
		return 0;
	all = calloc(1, sizeof(*all) + count * sizeof(all->reader[0]));
	if (!all)
		return sb_err(ENOMEM, "starting the readers");
	all->kind = (enum srcu_reader_kind)params->reader_kind;
	for (unsigned int i = 0; i < count && !ret; i++) {
		struct reader *r = &all->reader[all->count++];

		r->all = all;
		r->vcpu = SRCU_VCPU_INIT;
		/* The machine's first vCPU is taken. */
		ret = all->kind == SRCU_READER_VCPU ? prepare_vcpu(run, r, vm, i + 1)
						    : prepare_madvise(r);
	}
	/* All of them first: a running vCPU would slow down the making of the next. */
	for (unsigned int i = 0; i < count && !ret; i++)
		ret = start_thread(&all->reader[i]);
	if (!ret)
		ret = wait_for_first(all);
	if (ret)
		srcu_readers_stop(all);
	else
		*readers = all;
	return ret;
}

void srcu_readers_mark(struct srcu_readers *all)
{
	for (unsigned int i = 0; all && i < all->count; i++)
		all->reader[i].mark = atomic_load(&all->reader[i].done);
}

int srcu_readers_count(struct sb_run *run, struct srcu_readers *all)
{
	struct sb_series *s;
	int ret = 0;

	if (!all)
		return 0;
	s = sb_series(run, "reader_ops");
	if (!s)
		return -ENOMEM;
	for (unsigned int i = 0; i < all->count && !ret; i++) {
		const struct reader *r = &all->reader[i];
		uint64_t done = atomic_load(&r->done) - r->mark;

		ret = atomic_load(&r->failed);
		if (!ret && !done) {
			sb_progress_clear(&run->progress);
			ret = sb_err(ENODATA, "reader %u did nothing during the measurement",
				     i);
		}
		if (ret)
			s->errors++;
		else
			ret = sb_series_add(s, (double)done);
	}
	return ret;
}

void srcu_readers_stop(struct srcu_readers *all)
{
	if (!all)
		return;
	atomic_store(&all->stop, true);
	for (unsigned int i = 0; i < all->count; i++) {
		struct reader *r = &all->reader[i];

		if (r->runs)
			pthread_join(r->thread, NULL);
		srcu_vcpu_close(&r->vcpu);
		if (r->page)
			munmap(r->page, (size_t)sysconf(_SC_PAGESIZE));
	}
	free(all);
}
