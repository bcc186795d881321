// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts the limit of negative dentries under stress: threads look up, create, remove and rename
 * files and folders and unmount, while the limit changes and memory is reclaimed. What counts
 * is what is left over when all of it is gone: nothing may be counted, nothing may be missing.
 */
#include "dentryhelp.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DISK "/dev/ram0"
#define WHERE "/disk"
#define SMALL_DISK "/dev/ram1"
#define SMALL_WHERE "/small"
#define THREADS_MAX 64
#define FOLDERS 4
#define NAMES 200
/* How often the limit is switched off, and how many names are kept meanwhile. */
#define SWITCHES 100
#define FEW_CACHED 100000
/* From linux/fs.h, which does not go with sys/mount.h everywhere. */
#define EXCHANGE (1 << 1)

static struct {
	const char *image;
	double seconds, limit;
	long threads, per_page;
} opt = { .seconds = 5, .limit = 20, .threads = 4, .per_page = 21 };

static const struct setting options[] = {
	{ "seconds", 's', "S", "how long to stress (default 5)", .fraction = &opt.seconds },
	{ "threads", 't', "N", "threads that work on files (default 4)", .whole = &opt.threads,
	  .least = 1, .most = THREADS_MAX },
	{ "per-page", 'p', "N",
	  "dentries in a page (default 21; 0: unknown, the formula is not checked)",
	  .whole = &opt.per_page },
	{ "limit", 'l', "S", "seconds that freeing may take (default 20)",
	  .fraction = &opt.limit },
};

static const char doc[] = "Stresses fs.neg-dentry-limit on an ext4 IMAGE, copied to " DISK
			  " and " SMALL_DISK ".\v"
			  "Exit status: 0 passed, 1 failed, 2 usage, 77 cannot run here.";

static atomic_bool stop;
static atomic_long operations, serial, mounts;

/* Whether it is there or not is all the same. */
static void look_up(const char *name)
{
	(void)access(name, F_OK);
}

/* A name that many know; one in a folder that may not be there. */
static void known_name(char *name, size_t size, unsigned int *seed)
{
	snprintf(name, size, WHERE "/%d/%d", rand_r(seed) % FOLDERS, rand_r(seed) % NAMES);
}

/* Names that nobody asks for twice, enough to meet a limit within a moment. */
static void miss_new(unsigned int *seed)
{
	int folder = rand_r(seed) % FOLDERS, i;
	char name[64];

	for (i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), WHERE "/%d/new%ld", folder,
			 atomic_fetch_add(&serial, 1));
		look_up(name);
	}
}

/* The other threads are at the same names, so any of this may fail. */
static void work_once(unsigned int *seed)
{
	char name[64], other[80];
	int fd;

	atomic_fetch_add(&operations, 1);
	known_name(name, sizeof(name), seed);
	known_name(other, sizeof(other), seed);
	switch (rand_r(seed) % 20) {
	case 0 ... 7:
		miss_new(seed);
		break;
	case 8 ... 9:
		look_up(name);
		break;
	case 10 ... 12:
		fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
		if (fd >= 0)
			close(fd);
		break;
	case 13 ... 14:
		unlink(name);
		break;
	case 15 ... 16:
		rename(name, other);
		break;
	case 17:
		syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, other, EXCHANGE);
		break;
	case 18:
		if (link(name, other) < 0)
			rmdir(name);
		break;
	case 19:
		if (mkdir(name, 0755) == 0) {
			snprintf(other, sizeof(other), "%s/%d", name, rand_r(seed) % NAMES);
			look_up(other);
		}
		break;
	}
}

static void *work(void *arg)
{
	unsigned int seed = (unsigned int)(size_t)arg;

	while (!stop)
		work_once(&seed);
	return NULL;
}

static void *change_limits(void *arg)
{
	static const long limits[] = { 0, 1, 1, 2, 100 };
	unsigned int seed = (unsigned int)(size_t)arg;

	while (!stop) {
		set_limit(limits[rand_r(&seed) % 5]);
		set_enforce(rand_r(&seed) % 2);
		sleep_for(0.001 * (rand_r(&seed) % 200));
	}
	return NULL;
}

static void *take_memory(void *arg)
{
	unsigned int seed = (unsigned int)(size_t)arg;

	while (!stop) {
		if (rand_r(&seed) % 8)
			reclaim("64K");
		else
			drop_caches();
		sleep_for(0.001 * (rand_r(&seed) % 300));
	}
	return NULL;
}

/* File systems that go with all that was missed in them. */
static void *mount_and_unmount(void *arg)
{
	unsigned int seed = (unsigned int)(size_t)arg;
	char name[64];
	long i;

	while (!stop) {
		mount_disk(SMALL_DISK, SMALL_WHERE);
		for (i = rand_r(&seed) % 3000; i > 0; i--) {
			snprintf(name, sizeof(name), SMALL_WHERE "/%ld", i);
			look_up(name);
		}
		unmount(SMALL_WHERE);
		atomic_fetch_add(&mounts, 1);
		sleep_for(0.001 * (rand_r(&seed) % 100));
	}
	return NULL;
}

static void start(pthread_t *thread, void *(*function)(void *), size_t seed)
{
	if (pthread_create(thread, NULL, function, (void *)seed))
		die(FAILED, "cannot start a thread");
}

static void stress(double seconds, unsigned int seed)
{
	static void *(*const others[])(void *) = { change_limits, take_memory,
						   mount_and_unmount };
	pthread_t threads[THREADS_MAX + 3];
	long i, n = opt.threads + 3;

	stop = false;
	for (i = 0; i < n; i++)
		start(&threads[i], i < 3 ? others[i] : work, seed * (THREADS_MAX + 3) + i + 1);
	sleep_for(seconds);
	stop = true;
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void *flood(void *arg)
{
	unsigned int seed = (unsigned int)(size_t)arg;

	while (!stop)
		miss_new(&seed);
	return NULL;
}

/*
 * A limit that is never met, switched off and on while names are missed: nothing is ever too
 * much, so there is nothing to warn about, or to kill.
 */
static void switch_off(bool enforce)
{
	pthread_t threads[THREADS_MAX];
	struct dentries d;
	int times;
	long i;

	set_enforce(enforce);
	d = dentries();
	stop = false;
	for (i = 0; i < opt.threads; i++)
		start(&threads[i], flood, i + 1);
	for (times = 0; times < SWITCHES; times++) {
		set_limit(100);
		sleep_for(0.001);
		set_limit(0);
		if (dentries().negative > FEW_CACHED)
			drop_caches();
	}
	stop = true;
	for (i = 0; i < opt.threads; i++)
		pthread_join(threads[i], NULL);
	if (warnings_of_none())
		die(FAILED, "switched off: %ld warnings about a limit of 0",
		    warnings_of_none());
	if (dentries().killed != d.killed)
		die(FAILED, "switched off: %ld killed, of a limit that was not met",
		    dentries().killed - d.killed);
	set_enforce(0);
}

/* Nothing of it may be counted any more once the file system is gone, nor be missing. */
static void check_drained(void)
{
	struct dentries d;

	set_enforce(0);
	set_limit(1);
	if (!drop_counted(0, opt.limit))
		die(FAILED, "stress: %ld are still counted", dentries().counted);
	d = dentries();
	if (d.left != d.total || d.excess)
		die(FAILED, "stress: all are gone, and %ld of %ld are left", d.left - d.excess,
		    d.total);
	set_limit(0);
	check_sum("stress, limit 0");
}

static void mount_with_folders(void)
{
	char folder[32];
	int i;

	mount_disk(DISK, WHERE);
	for (i = 0; i < FOLDERS; i++) {
		snprintf(folder, sizeof(folder), WHERE "/%d", i);
		if (mkdir(folder, 0755) < 0 && errno != EEXIST)
			die(FAILED, "cannot make %s: %m", folder);
	}
}

static void rounds_of_switching(void)
{
	mount_with_folders();
	switch_off(false);
	switch_off(true);
	check_sum("switched off");
	unmount(WHERE);
	check_drained();
}

static void round_of_stress(double seconds, unsigned int seed)
{
	mount_with_folders();
	stress(seconds, seed);
	/* Once with all dentries in place, then without. */
	check_sum("stress");
	unmount(WHERE);
	check_drained();
}

int main(int argc, char **argv)
{
	unsigned int rounds = 0;
	struct dentries before;
	double end, left;

	opt.image = read_options_and_file(argc, argv, options,
					  sizeof(options) / sizeof(options[0]), "IMAGE", doc);
	need_limit();
	check_formula(opt.per_page);
	enter_cgroup();
	copy_image(opt.image, DISK);
	copy_image(opt.image, SMALL_DISK);
	drop_caches();
	before = dentries();
	rounds_of_switching();
	end = now() + opt.seconds;
	while ((left = end - now()) > 0)
		round_of_stress(left < 2 ? left : 2, ++rounds);
	drop_caches();
	/* A few that the kernel's own file systems have of their own accord. */
	if (dentries().negative > before.negative + 50)
		die(FAILED, "stress: %ld negative dentries where there were %ld",
		    dentries().negative, before.negative);
	printf("stress: %ld operations, %ld names missed and %ld unmounts in %u rounds, nothing counted is left, "
	       "%ld killed\n",
	       operations, serial, mounts, rounds, dentries().killed - before.killed);
	return PASSED;
}
