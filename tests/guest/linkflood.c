// SPDX-License-Identifier: GPL-2.0-only
/*
 * More links than a pass of the key collector may be held up by, cut off all at once, and then
 * a single key dropped: it must be gone before the last of the links is. What is compared is an
 * order of events and not times, so it holds on a machine of any speed.
 */
#include "keyhelp.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

static struct {
	long keys, rings;
	double limit;
} opt = { .keys = 16000, .rings = 200, .limit = 120 };

static const struct setting options[] = {
	{ "keys", 'n', "N",
	  "keys that are linked (default 16000, which a keyring has room for)",
	  .whole = &opt.keys, .least = 1, .most = 16000 },
	{ "rings", 'r', "N", "keyrings with a link to each of them (default 200)",
	  .whole = &opt.rings, .least = 1, .most = 1000 },
	{ "limit", 'l', "S", "seconds after which a key counts as left (default 120)",
	  .fraction = &opt.limit },
};

static const char doc[] =
	"Cuts off links by the million and fails if a key that is dropped then has to wait for all "
	"of them.\v"
	"Exit status: 0 passed, 1 failed, 2 usage, 77 cannot run here.";

/* Serials of the keyrings, from the process that holds them. */
struct flood {
	atomic_bool ready;
	key_serial_t ring[];
};

static struct flood *flood;

/*
 * What is here is out of sight of the other process's keyrings, in which /proc/keys looks up
 * each key that it shows.
 */
static void hold(void *arg)
{
	key_serial_t key;
	char desc[32];

	(void)arg;
	make_process_keyring();
	for (long r = 0; r < opt.rings; r++) {
		snprintf(desc, sizeof(desc), "ring%ld", r);
		flood->ring[r] = new_ring(desc, KEY_SPEC_PROCESS_KEYRING);
		/* Whoever does not possess it has to clear it. */
		if (keyctl_setperm(flood->ring[r], KEY_POS_ALL | KEY_USR_ALL) < 0)
			die(FAILED, "cannot give away a keyring: %m");
	}
	for (long i = 0; i < opt.keys; i++) {
		snprintf(desc, sizeof(desc), "linked%ld", i);
		key = new_key("user", desc, KEY_SPEC_PROCESS_KEYRING);
		for (long r = 0; r < opt.rings; r++)
			if (keyctl_link(key, flood->ring[r]) < 0)
				die(FAILED, "cannot link a key: %m");
	}
	flood->ready = true;
}

static int fill(void)
{
	int pid, status;

	flood = mmap(NULL, sizeof(*flood) + (size_t)opt.rings * sizeof(flood->ring[0]),
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (flood == MAP_FAILED)
		die(FAILED, "no memory for %ld keyrings", opt.rings);
	pid = start_child(hold, NULL);
	while (!flood->ready) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			exit(FAILED); /* it has said why */
		sleep_for(0.1);
	}
	return pid;
}

/* References of all keys named so, but for one each: links that have not been dropped yet. */
static long links_left(void)
{
	char line[256];
	long left = 0;
	int usage, found;
	FILE *f = fopen("/proc/keys", "r");

	if (!f)
		die(SKIPPED, "/proc/keys: %m");
	while (fgets(line, sizeof(line), f)) {
		found = 0;
		if (sscanf(line, "%*x %*s %d %*s %*s %*s %*s %*s linked%n", &usage, &found) ==
			    1 &&
		    found)
			left += usage - 1;
	}
	fclose(f);
	return left;
}

/* Nobody else makes the collector run meanwhile. */
static void want_links_dropped(void)
{
	double end = now() + opt.limit;
	long left;

	while ((left = links_left()) > 0) {
		if (now() > end)
			die(FAILED, "%ld links are left after %.0f s", left, opt.limit);
		sleep_for(0.1);
	}
}

int main(int argc, char **argv)
{
	long before, keys, left;
	key_serial_t single;
	int pid;

	read_options(argc, argv, options, sizeof(options) / sizeof(options[0]), NULL, doc, NULL,
		     NULL);
	collect_at_once();
	make_process_keyring();
	before = settled_keys(0.5);
	pid = fill();
	single = new_key("user", "single", KEY_SPEC_PROCESS_KEYRING);
	keys = settled_keys(0.5);
	left = links_left();
	if (left != opt.rings * opt.keys)
		die(FAILED, "%ld links are seen, not %ld", left, opt.rings * opt.keys);

	for (long r = 0; r < opt.rings; r++)
		if (keyctl_clear(flood->ring[r]) < 0)
			die(FAILED, "cannot clear a keyring: %m");
	if (keyctl_unlink(single, KEY_SPEC_PROCESS_KEYRING) < 0)
		die(FAILED, "cannot drop the key: %m");
	if (!wait_keys(keys - 1, opt.limit))
		die(FAILED, "the key is not gone after %.0f s", opt.limit);
	left = links_left();
	printf("a key dropped behind %ld links was gone when %ld were left\n",
	       opt.rings * opt.keys, left);
	if (!left)
		die(FAILED, "the key had to wait for all links");
	want_links_dropped();

	stop_child(pid);
	if (!wait_keys(before, opt.limit))
		die(FAILED, "%ld keys left over after %.0f s", count_keys() - before,
		    opt.limit);
	return PASSED;
}
