// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../core/clock.h"
#include "../core/msg.h"
#include "../core/stop.h"
#include "arch.h"
#include "efi_qemu.h"

/* A signal may come between a look at the flag and poll: looked at so often, no matter what. */
#define LOOK_MS 1000

#define ARGUMENT_LEN 512
#define ARGUMENTS_MOST 40

static bool on_path(const char *program)
{
	const char *path = getenv("PATH");
	char file[4096];

	while (path && *path) {
		int len = (int)strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/%s", len, path, program);
		if (!access(file, X_OK))
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

static bool readable(const char *file)
{
	return !file || !access(file, R_OK);
}

int efi_firmware_find(struct efi_firmware *firmware, bool bios, char *why, size_t why_len)
{
	const struct efi_firmware *known = bios ? srcu_arch.bios : srcu_arch.pflash;

	if (!known) {
		snprintf(why, why_len, "no firmware is known here%s",
			 bios ? " that writes to flash when given by -bios" : "");
		return -ENOENT;
	}
	if (!on_path(srcu_arch.qemu)) {
		snprintf(why, why_len, "no %s (Debian's package %s)", srcu_arch.qemu,
			 srcu_arch.qemu_package);
		return -ENOENT;
	}
	for (size_t i = 0; known[i].code; i++) {
		*firmware = known[i];
		if (readable(firmware->code) && readable(firmware->vars))
			return 0;
	}
	snprintf(why, why_len, "no firmware such as %s (Debian's package %s)", known[0].code,
		 srcu_arch.firmware_package);
	return -ENOENT;
}

/* ---- the process ---- */

/* Within an option of QEMU a comma is doubled. */
static void drive(char *argument, const char *options, const char *file)
{
	size_t at = (size_t)snprintf(argument, ARGUMENT_LEN,
				     "if=pflash,format=raw,%sfile=", options);

	for (; *file && at < ARGUMENT_LEN - 2; file++) {
		argument[at++] = *file;
		if (*file == ',')
			argument[at++] = ',';
	}
	argument[at] = '\0';
}

struct command {
	const char *word[ARGUMENTS_MOST + 1];
	size_t len;
};

static void add(struct command *c, const char *const *words)
{
	for (; *words && c->len < ARGUMENTS_MOST; words++)
		c->word[c->len++] = *words;
}

/*
 * Nothing that would keep firmware busy with other things than its flash: no network to boot
 * from, no disks to look for, no display.
 */
static void exec_qemu(const struct efi_firmware *firmware, const struct efi_flash *flash)
{
	struct command c = { .len = 0 };
	char code[ARGUMENT_LEN], vars[ARGUMENT_LEN];

	drive(code, "unit=0,readonly=on,", firmware->code);
	drive(vars, "unit=1,", flash->path);
	add(&c, (const char *[]){ srcu_arch.qemu, "-accel", "kvm", NULL });
	add(&c, srcu_arch.machine);
	add(&c, (const char *[]){ "-m", "128", "-nodefaults", "-no-user-config", "-nic", "none",
				  "-display", "none", NULL });
	add(&c, firmware->vars ? (const char *[]){ "-drive", code, "-drive", vars, NULL }
			       : (const char *[]){ "-bios", firmware->code, NULL });
	add(&c, (const char *[]){ "-chardev", "stdio,id=serial,signal=off", "-serial",
				  "chardev:serial", NULL });
	execvp(srcu_arch.qemu, (char *const *)c.word);
	dprintf(2, "%s: %s\n", srcu_arch.qemu, strerror(errno));
	_exit(127);
}

static void in_child(const struct efi_firmware *firmware, const struct efi_flash *flash,
		     int serial, int error, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	signal(SIGPIPE, SIG_DFL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(serial, 1) < 0 || dup2(error, 2) < 0)
		_exit(127);
	exec_qemu(firmware, flash);
}

int efi_qemu_start(struct efi_qemu *qemu, const struct efi_firmware *firmware,
		   const struct efi_flash *flash)
{
	int serial[2] = { -1, -1 }, error[2] = { -1, -1 }, ret = 0;
	pid_t self = getpid();

	*qemu = (struct efi_qemu){ .serial_fd = -1, .error_fd = -1 };
	if (pipe2(serial, O_CLOEXEC) || pipe2(error, O_CLOEXEC)) {
		ret = sb_err(errno, "a pipe for QEMU");
		close(serial[0]);
	} else {
		qemu->serial_fd = serial[0];
		qemu->error_fd = error[0];
		qemu->pid = fork();
		if (qemu->pid == 0)
			in_child(firmware, flash, serial[1], error[1], self);
		/* A group of its own (said on both sides, whoever comes first): Ctrl-C reaches
		 * us, and we end QEMU. */
		if (qemu->pid > 0)
			setpgid(qemu->pid, qemu->pid);
		if (qemu->pid < 0) {
			ret = sb_err(errno, "fork");
			qemu->pid = 0;
			efi_qemu_stop(qemu);
		}
	}
	close(serial[1]);
	close(error[1]);
	return ret;
}

/* ---- what it says ---- */

static void keep_errors(struct efi_qemu *qemu, const char *bytes, size_t len)
{
	size_t room = sizeof(qemu->errors) - 1;

	if (len > room) {
		bytes += len - room;
		len = room;
	}
	if (qemu->errors_len + len > room) {
		size_t drop = qemu->errors_len + len - room;

		memmove(qemu->errors, qemu->errors + drop, qemu->errors_len - drop);
		qemu->errors_len -= drop;
	}
	memcpy(qemu->errors + qemu->errors_len, bytes, len);
	qemu->errors_len += len;
	qemu->errors[qemu->errors_len] = '\0';
}

/* Returns the bytes there were; 0 at the end, -errno. */
static ssize_t take(struct efi_qemu *qemu, int fd)
{
	char bytes[4096];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n < 0)
		return errno == EINTR ? 1 : sb_err(errno, "reading from QEMU");
	if (fd == qemu->serial_fd)
		efi_serial_feed(&qemu->serial, bytes, (size_t)n);
	else
		keep_errors(qemu, bytes, (size_t)n);
	return n;
}

/* How long poll may sleep, in ms, or -errno for a reason to stop waiting. */
static int patience(uint64_t deadline_ns)
{
	uint64_t now = sb_now_ns(), left;

	if (sb_stopped())
		return -EINTR;
	if (now >= deadline_ns)
		return -ETIMEDOUT;
	left = (deadline_ns - now) / SB_NS_PER_MS + 1;
	return left < LOOK_MS ? (int)left : LOOK_MS;
}

int efi_qemu_wait(struct efi_qemu *qemu, uint64_t deadline_ns)
{
	struct pollfd fds[] = {
		{ .fd = qemu->serial_fd, .events = POLLIN },
		{ .fd = qemu->error_fd, .events = POLLIN },
	};

	for (;;) {
		int ms = patience(deadline_ns);

		if (ms < 0)
			return ms;
		if (poll(fds, 2, ms) < 0 && errno != EINTR)
			return sb_err(errno, "waiting for QEMU");
		for (int i = 0; i < 2; i++) {
			ssize_t n = fds[i].revents ? take(qemu, fds[i].fd) : 1;

			if (n <= 0)
				return n ? (int)n : -ECHILD;
			fds[i].revents = 0;
		}
		if (qemu->serial.ended)
			return 0;
		/* QEMU then only stops the vCPU, and would sit there for ever. */
		if (strstr(qemu->errors, "KVM internal error"))
			return -ENOTSUP;
	}
}

static void close_pipe(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void efi_qemu_stop(struct efi_qemu *qemu)
{
	struct pollfd error = { .fd = qemu->error_fd, .events = POLLIN };

	if (qemu->pid) {
		/* Whatever it started itself goes, too. */
		kill(-qemu->pid, SIGKILL);
		while (waitpid(qemu->pid, &qemu->wait_status, 0) < 0 && errno == EINTR)
			;
		qemu->pid = 0;
		while (poll(&error, 1, 0) > 0 && take(qemu, qemu->error_fd) > 0)
			;
	}
	close_pipe(&qemu->serial_fd);
	close_pipe(&qemu->error_fd);
}
