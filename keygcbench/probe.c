// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "../core/clock.h"
#include "keygcbench.h"
#include "probe.h"

/*
 * Reading it runs a work item on every CPU through the workqueue that the collector uses, and
 * waits for all of them (vmstat_refresh, mm/vmstat.c). Root only.
 */
#define BYSTANDER_FILE "/proc/sys/vm/stat_refresh"

struct sample {
	uint64_t start, length; /* ns */
};

struct samples {
	struct sample *list;
	size_t count, room;
	uint64_t errors;
	int failed; /* -ENOMEM */
};

struct probes {
	uint64_t origin, interval; /* ns */
	atomic_bool stop;
	atomic_uint_fast64_t *floor;
	pthread_t bystander_thread, keys_thread;
	bool bystander_runs, keys_run;
	int bystander_fd;
	/* A probe key has a link in each; only the second one is ever taken away. */
	key_serial_t keep, spare;
	uint64_t keys_most, payload;
	struct samples bystander, add, unlink;
};

static void keep_sample(struct samples *s, uint64_t start)
{
	uint64_t length = sb_now_ns() - start;

	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 1024;
		struct sample *grown = realloc(s->list, room * sizeof(*grown));

		if (!grown) {
			s->failed = -ENOMEM;
			return;
		}
		s->list = grown;
		s->room = room;
	}
	s->list[s->count++] = (struct sample){ start, length };
}

static void *bystander_main(void *data)
{
	struct probes *p = data;
	char byte;

	do {
		uint64_t start = sb_now_ns();

		if (pread(p->bystander_fd, &byte, sizeof(byte), 0) < 0)
			p->bystander.errors++;
		else
			keep_sample(&p->bystander, start);
		sb_sleep_ns(p->interval);
	} while (!atomic_load(&p->stop));
	return NULL;
}

/* One new key, kept; returns its serial, or the one before when the share is used up. */
static key_serial_t probe_add(struct probes *p, uint64_t number, key_serial_t before,
			      const void *payload)
{
	char desc[KEYS_DESC_LEN + 1];
	key_serial_t key;
	uint64_t start;

	if (number >= p->keys_most)
		return before;
	keys_describe(desc, number);
	start = sb_now_ns();
	key = add_key("user", desc, payload, p->payload, p->keep);
	if (key < 0) {
		p->add.errors++;
		return before;
	}
	keep_sample(&p->add, start);
	atomic_fetch_add(p->floor, 1);
	return key;
}

static void probe_unlink(struct probes *p, key_serial_t key)
{
	uint64_t start;

	if (keyctl_link(key, p->spare) < 0) {
		p->unlink.errors++;
		return;
	}
	start = sb_now_ns();
	if (keyctl_unlink(key, p->spare) < 0)
		p->unlink.errors++;
	else
		keep_sample(&p->unlink, start);
}

static void *keys_main(void *data)
{
	struct probes *p = data;
	key_serial_t key = -1;
	char *payload = calloc(1, p->payload);
	uint64_t number = 0;

	if (!payload) {
		p->add.failed = -ENOMEM;
		return NULL;
	}
	do {
		key = probe_add(p, number++, key, payload);
		if (key >= 0)
			probe_unlink(p, key);
		sb_sleep_ns(p->interval);
	} while (!atomic_load(&p->stop));
	free(payload);
	return NULL;
}

static int make_rings(struct probes *p)
{
	p->keep = add_key("keyring", "sbprobe_a", NULL, 0, KEY_SPEC_PROCESS_KEYRING);
	p->spare = add_key("keyring", "sbprobe_b", NULL, 0, KEY_SPEC_PROCESS_KEYRING);
	if (p->keep < 0 || p->spare < 0)
		return sb_err(errno, "making the probes' keyrings");
	atomic_fetch_add(p->floor, 2);
	return 0;
}

/* Signals are for the main thread, which alone knows how to stop. */
static int start_threads(struct probes *p)
{
	sigset_t all, before;
	int err = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (p->bystander_fd >= 0) {
		err = pthread_create(&p->bystander_thread, NULL, bystander_main, p);
		p->bystander_runs = !err;
	}
	if (!err) {
		err = pthread_create(&p->keys_thread, NULL, keys_main, p);
		p->keys_run = !err;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err ? sb_err(err, "starting the probe threads") : 0;
}

static void stop_threads(struct probes *p)
{
	atomic_store(&p->stop, true);
	if (p->bystander_runs)
		pthread_join(p->bystander_thread, NULL);
	if (p->keys_run)
		pthread_join(p->keys_thread, NULL);
}

static void drop(struct probes *p)
{
	stop_threads(p);
	if (p->keep > 0)
		keyctl_unlink(p->keep, KEY_SPEC_PROCESS_KEYRING);
	if (p->spare > 0)
		keyctl_unlink(p->spare, KEY_SPEC_PROCESS_KEYRING);
	if (p->bystander_fd >= 0)
		close(p->bystander_fd);
	free(p->bystander.list);
	free(p->add.list);
	free(p->unlink.list);
	free(p);
}

int probes_start(struct sb_run *run, struct probes **probes, atomic_uint_fast64_t *floor)
{
	const struct keygc_params *params = keygc_params(run);
	struct probes *p = calloc(1, sizeof(*p));
	int ret;

	if (!p)
		return sb_err(ENOMEM, "starting the probes");
	p->origin = sb_now_ns();
	p->floor = floor;
	p->interval = (uint64_t)(params->probe_interval * SB_NS_PER_US);
	p->payload = params->payload;
	p->keys_most = quota_probe_keys(run->scale);
	p->bystander_fd = open(BYSTANDER_FILE, O_RDONLY | O_CLOEXEC);
	ret = make_rings(p);
	if (!ret)
		ret = start_threads(p);
	if (ret)
		drop(p);
	else
		*probes = p;
	return ret;
}

static int add_samples(struct sb_run *run, const struct probes *p, const struct samples *s,
		       const char *metric)
{
	struct sb_series *series = sb_series(run, metric);
	int ret = series ? s->failed : -ENOMEM;

	for (size_t i = 0; i < s->count && !ret; i++)
		ret = sb_series_add_at(series, sb_us(s->list[i].start - p->origin),
				       sb_us(s->list[i].length));
	if (series)
		series->errors += s->errors;
	return ret ? sb_err(ret, "keeping samples of %s", metric) : 0;
}

int probes_finish(struct sb_run *run, struct probes *p)
{
	int ret = 0;

	stop_threads(p);
	if (p->bystander_runs)
		ret = add_samples(run, p, &p->bystander, "bystander");
	if (!ret)
		ret = add_samples(run, p, &p->add, "add_key");
	if (!ret)
		ret = add_samples(run, p, &p->unlink, "unlink");
	p->bystander_runs = false;
	p->keys_run = false;
	drop(p);
	return ret;
}
