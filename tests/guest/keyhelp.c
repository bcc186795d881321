// SPDX-License-Identifier: GPL-2.0-only
#include "keyhelp.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define GC_DELAY "/proc/sys/kernel/keys/gc_delay"

static long gc_delay_before;

long count_keys(void)
{
	unsigned int uid, usage;
	long keys, found = -1;
	char line[256];
	FILE *f;

	f = fopen("/proc/key-users", "r");
	if (!f)
		die(SKIPPED, "/proc/key-users: %m (a kernel without keys?)");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%u: %u %ld/", &uid, &usage, &keys) == 3 && uid == getuid())
			found = keys;
	fclose(f);
	return found < 0 ? 0 : found;
}

bool wait_keys(long target, double limit)
{
	double end = now() + limit;

	while (count_keys() > target) {
		if (now() > end)
			return false;
		sleep_for(0.005);
	}
	return true;
}

long settled_keys(double quiet)
{
	long keys = count_keys(), next;
	double since = now();

	while (now() - since < quiet) {
		sleep_for(quiet / 10);
		next = count_keys();
		if (next != keys)
			since = now();
		keys = next;
	}
	return keys;
}

static void restore(void)
{
	char value[32];

	snprintf(value, sizeof(value), "%ld", gc_delay_before);
	write_file(GC_DELAY, value);
}

void collect_at_once(void)
{
	gc_delay_before = read_number(GC_DELAY);
	if (!write_file(GC_DELAY, "0"))
		die(SKIPPED, "%s: %m", GC_DELAY);
	atexit(restore);
}

void make_process_keyring(void)
{
	if (keyctl_get_keyring_ID(KEY_SPEC_PROCESS_KEYRING, 1) < 0)
		die(SKIPPED, "no process keyring: %m");
}

void load_keytype(const char *module)
{
	int fd;

	fd = open(module, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(USAGE, "%s: %m", module);
	if (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST)
		die(SKIPPED, "cannot load %s: %m", module);
	close(fd);
}

void set_keytype(const char *parameter, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), KEYTYPE_PARAMETERS "%s", parameter);
	if (!write_file(path, value))
		die(FAILED, "cannot write %s to %s: %m", value, path);
}

key_serial_t new_key(const char *type, const char *desc, key_serial_t ring)
{
	key_serial_t key = add_key(type, desc, "payload", 7, ring);

	if (key < 0)
		die(FAILED, "cannot add key %s of type %s: %m", desc, type);
	return key;
}

key_serial_t new_ring(const char *desc, key_serial_t ring)
{
	key_serial_t key = add_key("keyring", desc, NULL, 0, ring);

	if (key < 0)
		die(FAILED, "cannot add keyring %s: %m", desc);
	return key;
}

int start_child(void (*child)(void *arg), void *arg)
{
	int pid = fork();

	if (pid < 0)
		die(FAILED, "fork: %m");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	child(arg);
	for (;;)
		pause();
}

void stop_child(int pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void ballast(void *arg)
{
	long keys = *(const long *)arg, i;
	char desc[32];

	for (i = 0; i < keys; i++) {
		snprintf(desc, sizeof(desc), "ballast%ld", i);
		if (add_key("user", desc, "x", 1, KEY_SPEC_PROCESS_KEYRING) < 0)
			_exit(1);
	}
}

int start_ballast(long keys, double limit)
{
	long before = count_keys();
	double end = now() + limit;
	int pid = start_child(ballast, &keys), status;

	while (count_keys() < before + keys) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			die(SKIPPED, "cannot add %ld keys (see /proc/sys/kernel/keys)", keys);
		if (now() > end)
			die(FAILED, "adding %ld keys takes longer than %.0f s", keys, limit);
		sleep_for(0.05);
	}
	return pid;
}
