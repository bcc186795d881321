// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts the kernel's key collector under stress, and looks whether it forgets a key. What is
 * counted is what is left when nobody uses a key any more: a lost request leaves one for ever.
 */
#include "keyhelp.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX 64
#define RINGS 8
#define SLOTS 512

struct options {
	double seconds, limit;
	long threads, ballast, rounds;
	const char *module;
	bool churn, requests;
};

static struct options opt = {
	.seconds = 10,
	.limit = 30,
	.threads = 4,
	.ballast = 20000,
	.rounds = 60,
};

static const struct setting options[] = {
	{ "seconds", 's', "S", "how long to churn (default 10)", .fraction = &opt.seconds },
	{ "threads", 't', "N", "threads that churn (default 4)", .whole = &opt.threads,
	  .least = 1, .most = THREADS_MAX },
	{ "ballast", 'b', "KEYS", "keys that make a pass long (default 20000)",
	  .whole = &opt.ballast },
	{ "rounds", 'r', "N", "rounds of requests (default 60)", .whole = &opt.rounds,
	  .least = 1 },
	{ "limit", 'l', "S", "seconds after which a key counts as left (default 30)",
	  .fraction = &opt.limit },
	{ "module", 'm', "FILE", "keytype.ko, which requests needs", .text = &opt.module },
};

static bool word(const char *arg, void *data)
{
	(void)data;
	if (!strcmp(arg, "churn"))
		opt.churn = true;
	else if (!strcmp(arg, "requests"))
		opt.requests = true;
	else
		return false;
	return true;
}

static const char doc[] =
	"Stresses the kernel's key collector and fails if keys are left over.\v"
	"churn: threads add, link, unlink, revoke, invalidate and time out keys, then everything\n"
	"is dropped, again and again. requests: a single key is dropped at a chosen moment of a\n"
	"pass that has nothing else to collect. Without a name: both.\n"
	"Exit status: 0 nothing left, 1 keys left, 2 usage, 77 cannot run here.";

/* -- churn ----------------------------------------------------------------------------------
 */

static _Atomic key_serial_t rings[RINGS], slots[SLOTS];
static atomic_bool stop;
static atomic_long operations, serial;

/* Keys come and go under everyone's hands, so most errors are the other threads' doing. */
static void churn_once(unsigned int *seed)
{
	key_serial_t ring = rings[rand_r(seed) % RINGS];
	int slot = rand_r(seed) % SLOTS;
	key_serial_t key = slots[slot];
	char desc[32];

	atomic_fetch_add(&operations, 1);
	switch (rand_r(seed) % 16) {
	case 0 ... 6:
		snprintf(desc, sizeof(desc), "churn%ld", atomic_fetch_add(&serial, 1));
		key = add_key("user", desc, "payload", 7, ring);
		if (key > 0)
			slots[slot] = key;
		break;
	case 7 ... 8:
		keyctl_link(key, ring);
		break;
	case 9 ... 11:
		keyctl_unlink(key, ring);
		break;
	case 12:
		keyctl_revoke(key);
		break;
	case 13:
		keyctl_invalidate(key);
		break;
	case 14:
		keyctl_set_timeout(key, 1 + rand_r(seed) % 2);
		break;
	case 15:
		/* Now and then a whole keyring, by dropping it or by emptying it. */
		slot = rand_r(seed) % RINGS;
		if (rand_r(seed) % 8) {
			keyctl_clear(rings[slot]);
			break;
		}
		snprintf(desc, sizeof(desc), "ring%ld", atomic_fetch_add(&serial, 1));
		key = add_key("keyring", desc, NULL, 0, KEY_SPEC_PROCESS_KEYRING);
		if (key > 0)
			keyctl_unlink(atomic_exchange(&rings[slot], key),
				      KEY_SPEC_PROCESS_KEYRING);
		break;
	}
}

static void *churn_thread(void *arg)
{
	unsigned int seed = (unsigned int)(size_t)arg;

	while (!stop)
		churn_once(&seed);
	return NULL;
}

/* One round: churn for a while, then drop everything and wait. */
static void churn_round(double seconds, unsigned int seed)
{
	pthread_t threads[THREADS_MAX];
	long before, i;
	char desc[32];

	before = settled_keys(0.1);
	for (i = 0; i < RINGS; i++) {
		snprintf(desc, sizeof(desc), "ring%ld", atomic_fetch_add(&serial, 1));
		rings[i] = new_ring(desc, KEY_SPEC_PROCESS_KEYRING);
	}
	stop = false;
	for (i = 0; i < opt.threads; i++)
		if (pthread_create(&threads[i], NULL, churn_thread,
				   (void *)(size_t)(seed * THREADS_MAX + i + 1)))
			die(FAILED, "cannot start a thread");
	sleep_for(seconds);
	stop = true;
	for (i = 0; i < opt.threads; i++)
		pthread_join(threads[i], NULL);
	keyctl_clear(KEY_SPEC_PROCESS_KEYRING);
	if (!wait_keys(before, opt.limit))
		die(FAILED, "churn: %ld keys left over after %.0f s", count_keys() - before,
		    opt.limit);
}

static void churn(void)
{
	double end = now() + opt.seconds, left;
	unsigned int seed = 1;

	for (; (left = end - now()) > 0; seed++)
		churn_round(left < 2 ? left : 2, seed);
	printf("churn: %ld operations in %u rounds, nothing left\n", operations, seed - 1);
}

/* -- requests -------------------------------------------------------------------------------
 */

/*
 * A key whose last reference the module has. Dropping it from here would not do: what an unlink
 * lets go of is only put when RCU gets round to it, and by then the pass is over.
 */
static key_serial_t held_key(const char *desc)
{
	key_serial_t key;

	set_keytype("hold", "1");
	key = new_key(KEYTYPE, desc, KEY_SPEC_PROCESS_KEYRING);
	keyctl_unlink(key, KEY_SPEC_PROCESS_KEYRING);
	return key;
}

static void drop_held_key(void)
{
	set_keytype("hold", "0");
}

/* How long it takes until a dropped key is gone: longer than the scan of a pass. */
static double measure_pass(void)
{
	double start, most = 0;
	long before;
	int i;

	for (i = 0; i < 5; i++) {
		held_key("measure");
		before = settled_keys(0.1);
		start = now();
		drop_held_key();
		if (!wait_keys(before - 1, opt.limit))
			die(FAILED, "requests: a single dropped key is left");
		if (now() - start > most)
			most = now() - start;
	}
	return most;
}

/*
 * Revoking a key starts a pass that finds nothing to collect, so no other pass follows by
 * itself. Another key, dropped while that pass is on its way, is by chance in front of it or
 * behind it; if behind, only the memory of the request gets it collected.
 */
static void requests(void)
{
	double pass, step, start, most = 0;
	key_serial_t revoked;
	long before, i;
	char desc[32];

	load_keytype(opt.module);
	set_keytype("registered", "1");
	pass = measure_pass();
	for (i = 0; i < opt.rounds; i++) {
		snprintf(desc, sizeof(desc), "%ld", i);
		revoked = new_key("user", desc, KEY_SPEC_PROCESS_KEYRING);
		held_key(desc);
		before = settled_keys(2 * pass);
		/* How much of it is the scan is unknown: more tries the nearer to its start. */
		step = (double)i / opt.rounds;
		keyctl_revoke(revoked);
		sleep_for(pass * step * step * step);
		drop_held_key();
		start = now();
		if (!wait_keys(before - 1, opt.limit))
			die(FAILED, "requests: round %ld: a dropped key is left after %.0f s",
			    i, opt.limit);
		if (now() - start > most)
			most = now() - start;
		keyctl_unlink(revoked, KEY_SPEC_PROCESS_KEYRING);
	}
	set_keytype("registered", "0");
	printf("requests: %ld rounds, a pass takes %.3f s, a dropped key was gone within %.3f s\n",
	       opt.rounds, pass, most);
}

int main(int argc, char **argv)
{
	long before;
	int pid = 0;

	read_options(argc, argv, options, sizeof(options) / sizeof(options[0]),
		     "[churn] [requests]", doc, word, NULL);
	if (!opt.churn && !opt.requests)
		opt.churn = opt.requests = true;
	if (opt.requests && !opt.module)
		die(USAGE, "requests needs --module (see --help)");
	collect_at_once();
	make_process_keyring();
	before = settled_keys(0.5);
	if (opt.ballast)
		pid = start_ballast(opt.ballast, 20 * opt.limit);
	if (opt.requests)
		requests();
	if (opt.churn)
		churn();
	if (pid)
		stop_child(pid);
	keyctl_clear(KEY_SPEC_PROCESS_KEYRING);
	if (!wait_keys(before, opt.limit))
		die(FAILED, "at the end: %ld keys left over after %.0f s",
		    count_keys() - before, opt.limit);
	printf("all keys collected\n");
	return PASSED;
}
