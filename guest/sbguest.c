// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's init: mounts what benchmarks need, runs one job, sends its files and exit status
 * over the result channel and restarts the machine (QEMU is told to end then). A C program and
 * not a script, because under emulation a shell's start-up is a good part of a boot.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "../core/msg.h"
#include "chan.h"
#include "job.h"

#define JOB_DIR "/job"
#define OUT_DIR "/run/out"
#define TTY_MAJOR 4
#define TTY_MINOR 64
#define MEM_MAJOR 1
/* How often, and how long each time, settle() waits: 5 s of the guest's time at most. */
#define SETTLE_TRIES 100
#define SETTLE_US 50000

struct fs {
	const char *type, *where, *options;
};

/* What a kernel lacks is left out: the job that needs it says so better than we can. */
static const struct fs filesystems[] = {
	{ "proc", "/proc", NULL },
	{ "sysfs", "/sys", NULL },
	{ "tmpfs", "/run", "mode=755" },
	{ "tmpfs", "/tmp", "mode=1777" },
	{ "tracefs", "/sys/kernel/tracing", NULL },
	{ "debugfs", "/sys/kernel/debug", NULL },
};

/* To the kernel's log and so to the console, as whole lines that no printk can cut. */
__attribute__((format(printf, 1, 2))) static void note(const char *fmt, ...)
{
	char line[512];
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC), len;
	va_list ap;

	if (fd < 0)
		return;
	/* Level 4, the least that the console of a benchmark's guest shows. */
	len = snprintf(line, sizeof(line), "<4>stallbench: ");
	va_start(ap, fmt);
	vsnprintf(line + len, sizeof(line) - (size_t)len, fmt, ap);
	va_end(ap);
	if (write(fd, line, strlen(line)) < 0)
		perror("/dev/kmsg");
	close(fd);
}

static uint64_t boot_time_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static void make_node(const char *path, unsigned int major_, unsigned int minor_)
{
	if (mknod(path, S_IFCHR | 0600, makedev(major_, minor_)) && errno != EEXIST)
		perror(path);
}

/* The few devices that we cannot do without, for kernels without devtmpfs. */
static void make_devices(void)
{
	char path[32];

	if (mount("tmpfs", "/dev", "tmpfs", 0, "mode=755"))
		perror("/dev");
	make_node("/dev/null", MEM_MAJOR, 3);
	make_node("/dev/zero", MEM_MAJOR, 5);
	make_node("/dev/urandom", MEM_MAJOR, 9);
	make_node("/dev/kmsg", MEM_MAJOR, 11);
	for (unsigned int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "/dev/ttyS%u", i);
		make_node(path, TTY_MAJOR, TTY_MINOR + i);
	}
}

static void mount_all(void)
{
	mkdir("/dev", 0755);
	if (mount("devtmpfs", "/dev", "devtmpfs", 0, "mode=755"))
		make_devices();
	for (size_t i = 0; i < sizeof(filesystems) / sizeof(filesystems[0]); i++) {
		const struct fs *fs = &filesystems[i];

		mkdir(fs->where, 0755);
		mount(fs->type, fs->where, fs->type, 0, fs->options);
	}
	mkdir(OUT_DIR, 0755);
}

/* Everything as it is: no CR before LF, no echo, no flow control, no modem lines. */
static int open_channel(const char *path)
{
	struct termios tio;
	int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (tcgetattr(fd, &tio) == 0) {
		cfmakeraw(&tio);
		tio.c_cflag |= CLOCAL;
		cfsetspeed(&tio, B115200);
		if (tcsetattr(fd, TCSANOW, &tio))
			note("%s: cannot be made raw: %s", path, strerror(errno));
	}
	return fd;
}

static void load_modules(const struct job *job)
{
	char *rest = job->modules;
	const char *path;

	while (rest && (path = strsep(&rest, "\n"))) {
		int fd;

		if (!*path)
			continue;
		fd = open(path, O_RDONLY | O_CLOEXEC);
		/* Not fatal: a list may name the modules of more than one maker of CPU. */
		if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST))
			note("module %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
	}
}

/*
 * A second or two after its start the kernel replaces the provisional clock by the calibrated
 * one, and only then may timers go to high resolution. In virtual time an idle guest's clock
 * runs for free, so the command waits for that; in real time it would double the boot.
 */
static void settle(const struct job *job)
{
	static const char path[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	const char *clock = job_env(job, "STALLBENCH_CLOCK");
	char now[32] = "";

	if (!clock || strcmp(clock, "virtual") != 0)
		return;
	for (int tries = 0; tries < SETTLE_TRIES; tries++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t len = fd < 0 ? -1 : read(fd, now, sizeof(now) - 1);

		if (fd >= 0)
			close(fd);
		if (len < 0 || strncmp(now, "tsc-early", strlen("tsc-early")) != 0)
			break;
		usleep(SETTLE_US);
	}
}

static uint64_t seed_of(const struct job *job)
{
	const char *seed = job_env(job, "STALLBENCH_SEED");

	return seed ? strtoull(seed, NULL, 10) : 0;
}

/* Runs the job with the channel open. What goes wrong here leaves the stream without an end. */
static int serve(struct chan_out *out, const struct job *job, const char *dir)
{
	int status, err;

	err = chan_put_event(out, "start", boot_time_us());
	if (err)
		return err;
	/* Sent before the command starts: the UART's interrupts are no part of a measurement.
	 */
	tcdrain(out->fd);
	settle(job);
	job_perturb(seed_of(job));
	status = job_run(job, dir);
	if (status < 0)
		return status;
	/* Whatever the command left running could still be writing. */
	if (getpid() == 1)
		kill(-1, SIGKILL);
	note("%s ended, status %d", job->argv[0], status);
	err = chan_put_event(out, "stop", boot_time_us());
	if (!err)
		err = job_ship(out, dir);
	if (!err)
		err = chan_put_end(out, (uint64_t)status);
	if (!err)
		tcdrain(out->fd);
	return err;
}

static int run_job(const char *job_dir, const char *out_dir, const char *channel, uint64_t born)
{
	struct chan_out out = { .fd = -1 };
	struct job job;
	int err;

	err = job_read(&job, job_dir);
	if (err) {
		note("the job cannot be read: %s", strerror(-err));
		return err;
	}
	if (!channel)
		channel = job_env(&job, "STALLBENCH_CHANNEL") ?: "/dev/ttyS1";
	out.fd = open_channel(channel);
	if (out.fd < 0) {
		err = out.fd;
		note("no result channel: %s: %s", channel, strerror(-err));
		goto out;
	}
	err = chan_put_event(&out, "init", born);
	note("init, runs %s", job.argv[0]);
	load_modules(&job);
	if (!err)
		err = serve(&out, &job, out_dir);
	if (err)
		note("the job failed: %s", strerror(-err));
	close(out.fd);
out:
	job_free(&job);
	return err;
}

int main(int argc, char **argv)
{
	uint64_t born = boot_time_us();

	if (getpid() != 1) {
		/* The same, on a running system: for tests, and to try a job out. */
		if (argc != 4) {
			fprintf(stderr, "usage: sbguest JOB-FOLDER OUT-FOLDER CHANNEL\n");
			return SB_EXIT_USAGE;
		}
		return run_job(argv[1], argv[2], argv[3], born) ? SB_EXIT_FAILED : SB_EXIT_OK;
	}
	setenv("PATH", "/bin:/sbin:/usr/bin:/usr/sbin", 1);
	setenv("HOME", "/", 1);
	mount_all();
	run_job(JOB_DIR, OUT_DIR, NULL, born);
	reboot(RB_AUTOBOOT);
	/* An init that returns is a panic, which would be the wrong message. */
	for (;;)
		pause();
}
