// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "../core/clock.h"
#include "../core/stop.h"
#include "dentrybench.h"

struct worker {
	struct dentry_crew *crew;
	unsigned int number;
	pthread_t thread;
	void *engine; /* the engine's own */
	struct dentry_tally tally;
};

struct dentry_crew {
	const struct dentry_engine *engine;
	uint32_t run_id;
	unsigned int name_length;
	unsigned int threads, opened, started;
	const struct dentry_task *task; /* NULL = go home */
	pthread_mutex_t gate;		/* held until it is known whether all have come */
	bool complete;
	pthread_barrier_t begin, end;
	struct worker worker[];
};

const struct dentry_engine *const dentry_engines[] = { &dentry_engine_sync,
						       &dentry_engine_uring };

static void work(struct worker *w)
{
	const struct dentry_crew *crew = w->crew;
	const struct dentry_task *t = crew->task;
	uint64_t share = t->count / crew->threads, rest = t->count % crew->threads;
	uint64_t before = w->number * share + (w->number < rest ? w->number : rest);
	uint64_t first = t->first + before;
	struct dentry_span span = {
		.dir = t->dirs->fd[w->number % t->dirs->count],
		.kind = t->kind,
		.run_id = crew->run_id,
		.name_length = crew->name_length,
		.first = t->wrap ? first % t->wrap : first,
		.count = share + (w->number < rest),
		.wrap = t->wrap,
		.hit = t->hit,
		.ns = t->ns ? t->ns + before : NULL,
	};

	w->tally = (struct dentry_tally){ 0 };
	crew->engine->look_up(w->engine, &span, &w->tally);
}

static void *worker_main(void *data)
{
	struct worker *w = data;
	bool complete;

	pthread_mutex_lock(&w->crew->gate);
	complete = w->crew->complete;
	pthread_mutex_unlock(&w->crew->gate);
	while (complete) {
		pthread_barrier_wait(&w->crew->begin);
		if (!w->crew->task)
			return NULL;
		work(w);
		pthread_barrier_wait(&w->crew->end);
	}
	return NULL;
}

int dentry_crew_do(struct dentry_crew *crew, const struct dentry_task *task,
		   struct dentry_tally *tally, uint64_t *elapsed)
{
	uint64_t begin = sb_now_ns();

	crew->task = task;
	if (crew->threads > 1)
		pthread_barrier_wait(&crew->begin);
	work(&crew->worker[0]);
	if (crew->threads > 1)
		pthread_barrier_wait(&crew->end);
	*elapsed = sb_now_ns() - begin;
	*tally = (struct dentry_tally){ 0 };
	for (unsigned int i = 0; i < crew->threads; i++) {
		const struct dentry_tally *t = &crew->worker[i].tally;

		if (t->errors && !tally->errors)
			tally->err = t->err;
		tally->done += t->done;
		tally->errors += t->errors;
	}
	return sb_stopped() ? -EINTR : 0;
}

/* Signals are for the main thread, which alone knows how to stop. */
static int start_threads(struct dentry_crew *crew)
{
	sigset_t all, before;
	int err = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pthread_mutex_lock(&crew->gate);
	for (crew->started = 1; crew->started < crew->threads; crew->started++) {
		struct worker *w = &crew->worker[crew->started];

		err = pthread_create(&w->thread, NULL, worker_main, w);
		if (err)
			break;
	}
	crew->complete = !err;
	pthread_mutex_unlock(&crew->gate);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err ? sb_err(err, "starting thread %u", crew->started) : 0;
}

static int open_engines(struct dentry_crew *crew)
{
	for (; crew->opened < crew->threads; crew->opened++) {
		struct worker *w = &crew->worker[crew->opened];
		int ret;

		w->crew = crew;
		w->number = crew->opened;
		ret = crew->engine->open ? crew->engine->open(&w->engine) : 0;
		if (ret)
			return sb_err(ret, "engine %s, thread %u", crew->engine->name,
				      crew->opened);
	}
	return 0;
}

static void stop_threads(struct dentry_crew *crew)
{
	crew->task = NULL;
	if (crew->complete && crew->threads > 1)
		pthread_barrier_wait(&crew->begin);
	for (unsigned int i = 1; i < crew->started; i++)
		pthread_join(crew->worker[i].thread, NULL);
}

void dentry_crew_end(struct dentry_crew *crew)
{
	if (!crew)
		return;
	stop_threads(crew);
	for (unsigned int i = 0; i < crew->opened; i++)
		if (crew->engine->close)
			crew->engine->close(crew->worker[i].engine);
	pthread_barrier_destroy(&crew->begin);
	pthread_barrier_destroy(&crew->end);
	pthread_mutex_destroy(&crew->gate);
	free(crew);
}

int dentry_crew_start(struct sb_run *run, struct dentry_crew **crew)
{
	const struct dentry_params *p = dentry_params(run);
	struct dentry_crew *c = calloc(1, sizeof(*c) + p->threads * sizeof(c->worker[0]));
	int ret;

	if (!c)
		return sb_err(ENOMEM, "starting %u threads", (unsigned int)p->threads);
	c->engine = dentry_engines[p->engine];
	c->run_id = dentry_bench(run)->run_id;
	c->name_length = (unsigned int)p->name_length;
	c->threads = (unsigned int)p->threads;
	pthread_mutex_init(&c->gate, NULL);
	pthread_barrier_init(&c->begin, NULL, c->threads);
	pthread_barrier_init(&c->end, NULL, c->threads);
	ret = open_engines(c);
	if (!ret)
		ret = start_threads(c);
	if (ret)
		dentry_crew_end(c);
	else
		*crew = c;
	return ret;
}
