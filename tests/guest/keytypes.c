// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unregisters a key type while keys of it live, with the module keytype.ko. When unregistering
 * returns, a module may go: no payload of the type may exist, and none may be destroyed later.
 */
#include "keyhelp.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	long keys, rounds, ballast;
	double limit;
	const char *module;
} opt = { .keys = 5000, .rounds = 3, .ballast = 5000, .limit = 60 };

static const struct setting options[] = {
	{ "keys", 'k', "N", "keys of the type (default 5000)", .whole = &opt.keys, .least = 1 },
	{ "rounds", 'r', "N", "how often each case (default 3)", .whole = &opt.rounds,
	  .least = 1 },
	{ "ballast", 'b', "KEYS", "other keys, which make a pass long (default 5000)",
	  .whole = &opt.ballast },
	{ "limit", 'l', "S", "seconds that anything may take (default 60)",
	  .fraction = &opt.limit },
};

static const char doc[] =
	"Unregisters a key type while keys of it live, with the module keytype.ko.\v"
	"Exit status: 0 passed, 1 failed, 2 usage, 77 cannot run here.";

/*
 * What the keys of the type are doing when it goes. Dropped ones are in the collector's hands
 * already; linked ones are to be unlinked by it; held ones are referenced by somebody who does
 * not let go, and must lose their payload all the same.
 */
enum keys { DROPPED, LINKED, HELD, MIXED, CASES };
static const char *const names[] = { "dropped", "linked", "held", "mixed" };

static key_serial_t add_keys(enum keys what)
{
	key_serial_t ring, other;
	char desc[32];
	long i;

	if (what == HELD)
		set_keytype("hold", "4000");
	else if (what == MIXED)
		set_keytype("hold", "500");
	ring = new_ring("first", KEY_SPEC_PROCESS_KEYRING);
	other = new_ring("second", KEY_SPEC_PROCESS_KEYRING);
	for (i = 0; i < opt.keys; i++) {
		snprintf(desc, sizeof(desc), "%ld", i);
		new_key(KEYTYPE, desc, what == MIXED && i % 2 ? other : ring);
	}
	return ring;
}

static void one_round(enum keys what, long round)
{
	long before, live, late;
	key_serial_t ring;
	double start;

	before = settled_keys(0.2);
	set_keytype("registered", "1");
	ring = add_keys(what);
	if (what == DROPPED || what == MIXED)
		keyctl_clear(ring);
	start = now();
	set_keytype("registered", "0");
	live = read_number(KEYTYPE_PARAMETERS "live");
	late = read_number(KEYTYPE_PARAMETERS "late");
	if (live || late)
		die(FAILED,
		    "%s: %ld payloads live, and %ld were destroyed, after the type went",
		    names[what], live, late);
	printf("%s %ld: unregistered in %.3f s\n", names[what], round, now() - start);

	/* With the type gone, its keys go too once nobody holds them. */
	set_keytype("hold", "0");
	keyctl_clear(KEY_SPEC_PROCESS_KEYRING);
	if (!wait_keys(before, opt.limit))
		die(FAILED, "%s: %ld keys left over", names[what], count_keys() - before);
	late = read_number(KEYTYPE_PARAMETERS "late");
	if (late)
		die(FAILED, "%s: %ld payloads destroyed after the type went", names[what],
		    late);
}

static _Noreturn void run(void)
{
	long round;
	int what;

	/* Keys of a child are its own: a process keyring is not inherited. */
	if (keyctl_get_keyring_ID(KEY_SPEC_PROCESS_KEYRING, 1) < 0)
		die(SKIPPED, "no process keyring: %m");
	for (what = 0; what < CASES; what++)
		for (round = 0; round < opt.rounds; round++)
			one_round(what, round);
	exit(PASSED);
}

int main(int argc, char **argv)
{
	int pid, ballast = 0, status = 0;
	double end;

	opt.module = read_options_and_file(argc, argv, options,
					   sizeof(options) / sizeof(options[0]), "MODULE", doc);
	load_keytype(opt.module);
	collect_at_once();
	if (opt.ballast)
		ballast = start_ballast(opt.ballast, opt.limit);

	/* A process that waits in unregister_key_type() cannot be killed: let it wait, and say
	 * so. */
	pid = fork();
	if (pid < 0)
		die(FAILED, "fork: %m");
	if (pid == 0)
		run();
	end = now() + 4 * opt.rounds * opt.limit;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (now() > end)
			die(FAILED, "unregistering the type does not come to an end");
		sleep_for(0.05);
	}
	if (ballast)
		stop_child(ballast);
	if (!WIFEXITED(status))
		die(FAILED, "ended by signal %d", WTERMSIG(status));
	if (WEXITSTATUS(status) == PASSED)
		printf("every payload was gone before its type\n");
	return WEXITSTATUS(status);
}
