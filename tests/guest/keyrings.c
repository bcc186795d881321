// SPDX-License-Identifier: GPL-2.0-only
/*
 * Large keyrings in the hands of the kernel's key collector: dropped, cleared, revoked, full of
 * links to expired keys, and changed or dropped while those are collected. What counts is what
 * is left: no key that is dead, and each link to a living one.
 */
#include "keyhelp.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Time to set a timeout for every key, all for one and the same second. */
#define AHEAD 3
#define CHURN_SLOTS 64

static struct {
	long links, ballast, threads;
	double limit;
} opt = { .links = 8000, .ballast = 5000, .threads = 3, .limit = 30 };

static const struct setting options[] = {
	{ "links", 'n', "N", "links of a keyring (default 8000)", .whole = &opt.links,
	  .least = 4 },
	{ "ballast", 'b', "KEYS", "other keys, which make a pass long (default 5000)",
	  .whole = &opt.ballast },
	{ "threads", 't', "N", "threads that change the keyring meanwhile (default 3)",
	  .whole = &opt.threads, .least = 1, .most = 16 },
	{ "limit", 'l', "S", "seconds after which a key counts as left (default 30)",
	  .fraction = &opt.limit },
};

static const char doc[] =
	"Lets large keyrings go in all ways and fails if a key is left over, or a link lost.\v"
	"Exit status: 0 passed, 1 failed, 2 usage, 77 cannot run here.";

static key_serial_t ring;
static key_serial_t *keys;

static void name(char *desc, size_t room, long i)
{
	snprintf(desc, room, "link%ld", i);
}

/*
 * A keyring with links to keys and to one keyring: links to keyrings have a part of the
 * kernel's tree to themselves, so that one sits beside subtrees instead of in one.
 */
static void fill(void)
{
	char desc[32];
	long i;

	ring = new_ring("ring", KEY_SPEC_PROCESS_KEYRING);
	new_ring("nested", ring);
	for (i = 0; i < opt.links; i++) {
		name(desc, sizeof(desc), i);
		keys[i] = new_key("user", desc, ring);
	}
}

static time_t second(void)
{
	struct timespec ts;

	/* As coarse as what the kernel adds the timeout to. */
	clock_gettime(CLOCK_REALTIME_COARSE, &ts);
	return ts.tv_sec;
}

/* Every step-th key expires in one second, which begins when this returns. */
static void expire(long step)
{
	time_t begin = second(), when, at;
	long i;

	while (second() == begin)
		sleep_for(0.001);
	when = begin + 1 + AHEAD;
	for (i = 0; i < opt.links; i += step)
		do {
			at = second();
			if (at >= when)
				die(SKIPPED, "setting %ld timeouts takes too long here",
				    opt.links / step);
			if (keyctl_set_timeout(keys[i], (unsigned int)(when - at)) < 0)
				die(FAILED, "cannot set a timeout: %m");
		} while (second() != at);
	while (second() < when)
		sleep_for(0.001);
}

static void want_gone(const char *what, long before)
{
	if (!wait_keys(before, opt.limit))
		die(FAILED, "%s: %ld keys left over after %.0f s", what, count_keys() - before,
		    opt.limit);
	printf("%s: nothing left\n", what);
}

static void let_go(void)
{
	if (keyctl_unlink(ring, KEY_SPEC_PROCESS_KEYRING) < 0)
		die(FAILED, "cannot drop the keyring: %m");
}

static void dropped(long before)
{
	fill();
	let_go();
	want_gone("dropped", before);
}

static void cleared(long before)
{
	fill();
	if (keyctl_clear(ring) < 0)
		die(FAILED, "cannot clear the keyring: %m");
	want_gone("cleared", before + 1);
	let_go();
	want_gone("cleared, then dropped", before);
}

static void revoked(long before)
{
	fill();
	if (keyctl_revoke(ring) < 0)
		die(FAILED, "cannot revoke the keyring: %m");
	let_go();
	want_gone("revoked", before);
}

static int by_serial(const void *a, const void *b)
{
	key_serial_t x = *(const key_serial_t *)a, y = *(const key_serial_t *)b;

	return x < y ? -1 : x > y;
}

/* The keyring has as many links as it should, each key once, and no link to a dead one. */
static void want_links(const char *what, long want)
{
	void *buffer;
	long bytes = keyctl_read_alloc(ring, &buffer), i, count;
	key_serial_t *links = buffer;

	if (bytes < 0)
		die(FAILED, "%s: cannot read the keyring: %m", what);
	count = bytes / (long)sizeof(*links);
	if (count != want)
		die(FAILED, "%s: %ld links, not %ld", what, count, want);
	qsort(links, (size_t)count, sizeof(*links), by_serial);
	for (i = 1; i < count; i++)
		if (links[i] == links[i - 1])
			die(FAILED, "%s: a key is linked twice", what);
	free(buffer);
}

/* Finds a key that lives on by its name; the search goes through the keyring in RCU mode. */
static void want_found(const char *what, long i)
{
	char desc[32];

	name(desc, sizeof(desc), i);
	if (keyctl_search(ring, "user", desc, 0) != keys[i])
		die(FAILED, "%s: a living key is not found: %m", what);
}

static void expired(long before)
{
	fill();
	expire(1);
	/* The keyring and the one in it. */
	want_gone("expired", before + 2);
	want_links("expired", 1);
	let_go();
	want_gone("expired, then dropped", before);
}

static atomic_bool stop;
static atomic_long operations;

/* Adds and unlinks keys of its own, and looks for keys that live on. */
static void *churn_thread(void *arg)
{
	unsigned int seed = (unsigned int)(size_t)arg;
	key_serial_t own[CHURN_SLOTS] = { 0 };
	char desc[32];
	long i;

	while (!stop) {
		long slot = rand_r(&seed) % CHURN_SLOTS;

		want_found("changed meanwhile", 2 * (rand_r(&seed) % (opt.links / 2)) + 1);
		snprintf(desc, sizeof(desc), "own%zu.%ld.%d", (size_t)arg, slot,
			 rand_r(&seed) % 1000);
		if (own[slot])
			keyctl_unlink(own[slot], ring);
		own[slot] = add_key("user", desc, "x", 1, ring);
		if (own[slot] < 0)
			die(FAILED, "changed meanwhile: cannot add a key: %m");
		atomic_fetch_add(&operations, 1);
	}
	for (i = 0; i < CHURN_SLOTS; i++)
		if (own[i])
			keyctl_unlink(own[i], ring);
	return NULL;
}

/* Half of the keys expire while threads work on the keyring; then the other half's are there.
 */
static void changed(long before)
{
	pthread_t threads[16];
	long i;

	fill();
	stop = false;
	for (i = 0; i < opt.threads; i++)
		if (pthread_create(&threads[i], NULL, churn_thread, (void *)(size_t)(i + 1)))
			die(FAILED, "cannot start a thread");
	expire(2);
	sleep_for(1);
	stop = true;
	for (i = 0; i < opt.threads; i++)
		pthread_join(threads[i], NULL);
	want_gone("changed meanwhile", before + 2 + opt.links / 2);
	want_links("changed meanwhile", 1 + opt.links / 2);
	for (i = 1; i < opt.links; i += 2)
		want_found("changed meanwhile", i);
	printf("changed meanwhile: %ld operations\n", operations);
	let_go();
	want_gone("changed meanwhile, then dropped", before);
}

/* Its last reference goes while links of it are being collected. */
static void dropped_meanwhile(long before, double after)
{
	fill();
	expire(2);
	sleep_for(after);
	let_go();
	want_gone("dropped meanwhile", before);
}

int main(int argc, char **argv)
{
	long before, all;
	int pid = 0;

	read_options(argc, argv, options, sizeof(options) / sizeof(options[0]), NULL, doc, NULL,
		     NULL);
	opt.links &= ~1L;
	keys = calloc((size_t)opt.links, sizeof(*keys));
	if (!keys)
		die(FAILED, "no memory for %ld keys", opt.links);
	collect_at_once();
	make_process_keyring();
	all = settled_keys(0.5);
	if (opt.ballast)
		pid = start_ballast(opt.ballast, 20 * opt.limit);
	before = settled_keys(0.5);
	dropped(before);
	cleared(before);
	revoked(before);
	expired(before);
	changed(before);
	dropped_meanwhile(before, 0.0);
	dropped_meanwhile(before, 0.02);
	if (pid)
		stop_child(pid);
	want_gone("at the end", all);
	free(keys);
	return PASSED;
}
