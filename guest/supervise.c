// SPDX-License-Identifier: GPL-2.0-only
/* Starts QEMU, tails what it writes, and ends it when there is a reason to. */
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../core/clock.h"
#include "../core/msg.h"
#include "../core/stop.h"

/* The files are looked at so often: an inotify event per byte of a UART would cost more. */
#define TICK_MS 10
/* Of 64 KiB each, from each file: far more than an emulated UART can write in a tick. */
#define PIECES_PER_TICK 16
/* After a panic's first line its trace is still to come; after the end mark the restart. */
#define AFTER_PANIC_NS (1 * SB_NS_PER_S)
#define AFTER_END_NS (10 * SB_NS_PER_S)

const char *guest_status_word(enum guest_status status)
{
	static const char *const words[] = {
		[GUEST_PASS] = "pass",
		[GUEST_FAIL] = "fail",
		[GUEST_SKIP] = "skip",
		[GUEST_TIMEOUT] = "timeout",
		[GUEST_PANIC] = "panic",
		[GUEST_SPLAT] = "splat",
		[GUEST_INCOMPLETE] = "incomplete",
		[GUEST_INTERRUPTED] = "interrupted",
		[GUEST_NO_QEMU] = "incomplete",
	};

	return words[status];
}

__attribute__((format(printf, 3, 4))) static void verdict(struct guest *g,
							  enum guest_status status,
							  const char *fmt, ...)
{
	va_list ap;

	g->status = status;
	va_start(ap, fmt);
	vsnprintf(g->why, sizeof(g->why), fmt, ap);
	va_end(ap);
}

/* ---- the process ---- */

static void exec_qemu(const struct guest *g, pid_t supervisor)
{
	int null = open("/dev/null", O_RDONLY);
	int log = openat(g->dir, "qemu.log", O_WRONLY | O_CREAT | O_TRUNC, 0644);

	/* A group of its own: a Ctrl-C reaches us, and we end QEMU. */
	setpgid(0, 0);
	/* Whatever becomes of us, kill -9 included, QEMU goes too. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != supervisor)
		_exit(127);
	if (null < 0 || log < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(127);
	ordered_apply(&g->ordered);
	execvp(g->argv[0], g->argv);
	dprintf(2, "%s: %s\n", g->argv[0], strerror(errno));
	_exit(127);
}

static int start(struct guest *g)
{
	pid_t self = getpid();

	g->collect.at_ns[STEP_QEMU] = g->progress_ns = sb_now_ns();
	g->pid = fork();
	if (g->pid < 0) {
		g->pid = 0;
		return sb_err(errno, "fork");
	}
	if (g->pid == 0)
		exec_qemu(g, self);
	g->pidfd = pidfd_open(g->pid, 0);
	return g->pidfd < 0 ? sb_err(errno, "pidfd_open") : 0;
}

/* Waits for QEMU, killing it first if @kill_it. */
static void reap(struct guest *g, bool kill_it)
{
	if (!g->pid)
		return;
	if (kill_it)
		kill(g->pid, SIGKILL);
	while (waitpid(g->pid, &g->wait_status, 0) < 0 && errno == EINTR)
		;
	g->pid = 0;
	g->collect.at_ns[STEP_GONE] = sb_now_ns();
}

/*
 * True once QEMU has ended; sleeps a tick, or until a signal comes. Also notices the end of the
 * owner, which kill -9 may have hit: nobody would tell us.
 */
static bool ended_after_tick(struct guest *g)
{
	struct pollfd fds[] = {
		{ .fd = g->pidfd, .events = POLLIN },
		{ .fd = g->owner, .events = POLLIN },
	};

	if (poll(fds, 2, TICK_MS) <= 0)
		return false;
	g->owner_gone |= fds[1].revents != 0;
	return fds[0].revents != 0;
}

/* ---- what QEMU writes ---- */

static void remember(char *to, const struct console_finding *f)
{
	snprintf(to, GUEST_FIRST_LEN, "console line %" PRIu64 ": %s", f->line, f->text);
}

static int on_finding(void *ctx, const struct console_finding *f)
{
	static const char *const words[CONSOLE_KINDS] = {
		[CONSOLE_PANIC] = "bad",
		[CONSOLE_HOGGED] = "hogged",
		[CONSOLE_EXPECTED] = "expected",
		[CONSOLE_BAD] = "bad",
	};
	struct guest *g = ctx;

	sb_csv_text(&g->findings, words[f->kind]);
	sb_csv_text(&g->findings, f->pattern);
	sb_csv_u64(&g->findings, f->line);
	sb_csv_text(&g->findings, f->text);
	sb_csv_end_row(&g->findings);
	g->hogged += f->kind == CONSOLE_HOGGED;
	if (f->kind == CONSOLE_PANIC && !g->panic_ns) {
		g->panic_ns = sb_now_ns();
		remember(g->first_panic, f);
	}
	if (f->kind != CONSOLE_BAD && f->kind != CONSOLE_PANIC)
		return 0;
	if (g->bad++ == 0)
		remember(g->first_bad, f);
	return 0;
}

static int feed_console(struct guest *g, const uint8_t *data, size_t len)
{
	g->console_bytes += len;
	return console_scan_feed(&g->scan, data, len);
}

static int feed_channel(struct guest *g, const uint8_t *data, size_t len)
{
	return chan_in_feed(&g->in, data, len);
}

/*
 * Hands what is new in @fd to @feed, at most @most pieces: while QEMU runs there may always be
 * more. An error of @feed is kept where it belongs.
 */
static int drain(struct guest *g, int fd, unsigned int most,
		 int (*feed)(struct guest *, const uint8_t *, size_t))
{
	uint8_t buf[65536];

	while (most--) {
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sb_err(errno, "reading what QEMU wrote");
		if (n == 0)
			return 0;
		g->progress_ns = sb_now_ns();
		if (feed(g, buf, (size_t)n))
			return 0;
	}
	return 0;
}

static int drain_both(struct guest *g, unsigned int most)
{
	int err = drain(g, g->console, most, feed_console);

	return err ? err : drain(g, g->channel, most, feed_channel);
}

/* ---- judging ---- */

static bool past(uint64_t since_ns, unsigned int limit_s, uint64_t now_ns)
{
	return limit_s && now_ns - since_ns > limit_s * SB_NS_PER_S;
}

static bool timed_out(struct guest *g, uint64_t now)
{
	const struct collect *c = &g->collect;
	const struct guest_limits *l = &g->limits;

	if (!c->at_ns[STEP_START] && past(c->at_ns[STEP_QEMU], l->boot, now)) {
		verdict(g, GUEST_TIMEOUT, "the command was not reached in %u s (%s)", l->boot,
			c->at_ns[STEP_INIT] ? "init was"
			: g->console_bytes  ? "the kernel wrote to its console"
					    : "not a byte on the console");
		return true;
	}
	if (past(c->at_ns[STEP_QEMU], l->total, now))
		verdict(g, GUEST_TIMEOUT, "not done after %u s", l->total);
	else if (past(g->progress_ns, l->silence, now))
		verdict(g, GUEST_TIMEOUT, "silent for %u s", l->silence);
	else
		return false;
	return true;
}

/* Whether to end QEMU now; the reason is then in the verdict, or follows from the channel. */
static bool enough(struct guest *g)
{
	uint64_t now = sb_now_ns();

	if (sb_stopped()) {
		verdict(g, GUEST_INTERRUPTED, "interrupted by signal %d", sb_stopped());
		return true;
	}
	if (g->owner_gone) {
		verdict(g, GUEST_INTERRUPTED, "interrupted: who asked for it is gone");
		return true;
	}
	if (g->panic_ns)
		return now - g->panic_ns > AFTER_PANIC_NS;
	if (g->in.error)
		return true;
	if (chan_in_ended(&g->in))
		return now - g->collect.at_ns[STEP_END] > AFTER_END_NS;
	return timed_out(g, now);
}

static void judge_command(struct guest *g)
{
	uint64_t value = g->collect.value;

	if (g->bad)
		verdict(g, GUEST_SPLAT, "%s", g->first_bad);
	else if (value == SB_EXIT_OK)
		verdict(g, GUEST_PASS, "%s", "");
	else if (value == SB_EXIT_SKIPPED)
		verdict(g, GUEST_SKIP, "the command skipped (exit status 77)");
	else if (value >= CHAN_SIGNALLED)
		verdict(g, GUEST_FAIL, "the command was killed by signal %" PRIu64,
			value - CHAN_SIGNALLED);
	else
		verdict(g, GUEST_FAIL, "the command's exit status is %" PRIu64, value);
}

/* QEMU is gone and nobody has said why. */
static void judge_loss(struct guest *g)
{
	int status = g->wait_status;

	if (g->in.error && g->in.error != -ENODATA)
		verdict(g, GUEST_INCOMPLETE, "%s", g->in.why);
	else if (WIFSIGNALED(status))
		verdict(g, GUEST_INCOMPLETE, "QEMU was killed by signal %d; %s",
			WTERMSIG(status), g->in.why);
	else if (WEXITSTATUS(status) && !g->console_bytes && !g->in.offset)
		verdict(g, GUEST_NO_QEMU, "QEMU does not start (exit status %d)",
			WEXITSTATUS(status));
	else if (WEXITSTATUS(status))
		verdict(g, GUEST_INCOMPLETE, "QEMU ended with exit status %d; %s",
			WEXITSTATUS(status), g->in.why);
	else
		verdict(g, GUEST_INCOMPLETE, "the guest ended early; %s", g->in.why);
}

static void judge(struct guest *g)
{
	bool complete = chan_in_finish(&g->in) == 0;

	int unread = console_scan_finish(&g->scan);

	if (g->status == GUEST_INTERRUPTED)
		return;
	if (unread)
		verdict(g, GUEST_INCOMPLETE, "line %" PRIu64 " of the console: %s",
			g->scan.number, strerror(-unread));
	else if (g->panic_ns)
		verdict(g, GUEST_PANIC, "%s", g->first_panic);
	else if (complete)
		judge_command(g);
	else if (g->status != GUEST_TIMEOUT)
		judge_loss(g);
}

static int follow(struct guest *g)
{
	int err = 0;
	bool gone = false;

	while (!err && !gone && !enough(g)) {
		gone = ended_after_tick(g);
		err = drain_both(g, PIECES_PER_TICK);
	}
	reap(g, !gone);
	/* The last words may have come between the last look and the end. */
	return err ? err : drain_both(g, UINT_MAX);
}

static int open_output(const struct guest *g, const char *name)
{
	int fd = openat(g->dir, name, O_RDONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	return fd < 0 ? sb_err(errno, "%s", name) : fd;
}

int guest_run(struct guest *g, const struct console_rules *rules)
{
	int err;

	g->status = GUEST_INCOMPLETE;
	g->collect.dir = g->dir;
	g->collect.fd = -1;
	g->pidfd = g->channel = -1;
	console_scan_init(&g->scan, rules, on_finding, g);
	chan_in_init(&g->in, &collect_sink, &g->collect);
	g->console = open_output(g, "console.log");
	err = g->console < 0 ? g->console : 0;
	if (!err) {
		g->channel = open_output(g, "channel.raw");
		err = g->channel < 0 ? g->channel : 0;
	}
	if (!err)
		err = start(g);
	if (!err)
		err = follow(g);
	if (!err)
		judge(g);
	reap(g, true);
	collect_abort(&g->collect);
	for (int *fd = (int[]){ g->console, g->channel, g->pidfd }, i = 0; i < 3; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	return err;
}
