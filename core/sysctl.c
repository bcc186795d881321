// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "msg.h"
#include "num.h"
#include "sysctl.h"

#define LOCK_TRIES 20 /* of 50 ms each */

/* What the guardian is told: one record of fixed size, so that a write is never torn. */
struct guard_record {
	unsigned int index;
	char value[SB_SYSCTL_VALUE]; /* "" = nothing to restore any more */
};

static int read_value(int fd, char value[SB_SYSCTL_VALUE])
{
	ssize_t len = pread(fd, value, SB_SYSCTL_VALUE - 1, 0);

	if (len < 0)
		return -errno;
	value[len] = '\0';
	value[strcspn(value, "\n")] = '\0';
	return 0;
}

static int write_value(int fd, const char *value)
{
	size_t len = strlen(value);
	ssize_t done = pwrite(fd, value, len, 0);

	if (done < 0)
		return -errno;
	return (size_t)done == len ? 0 : -EIO;
}

/* The guardian of a run that was killed may still be putting values back: give it a second. */
static int lock(int fd)
{
	for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB); tries++) {
		if (errno != EWOULDBLOCK)
			return 0;
		if (tries == LOCK_TRIES)
			return -EBUSY;
		sb_sleep_ns(50 * SB_NS_PER_MS);
	}
	return 0;
}

static int open_one(struct sb_sysctl *s, const char *name)
{
	char path[128];

	*s = (struct sb_sysctl){ .name = name };
	snprintf(path, sizeof(path), "/proc/sys/%s", name);
	s->fd = open(path, O_RDWR | O_CLOEXEC);
	if (s->fd < 0) {
		s->fd = -errno;
		return 0;
	}
	return lock(s->fd);
}

int sb_sysctl_open(struct sb_sysctl_guard *g, const char *const *names)
{
	memset(g, 0, sizeof(*g));
	g->pipe = -1;
	for (; names && *names && g->count < SB_SYSCTL_MAX; names++) {
		int ret = open_one(&g->sysctl[g->count++], *names);

		if (ret) {
			sb_msg("another benchmark is running: it holds /proc/sys/%s", *names);
			sb_sysctl_restore(g);
			return ret;
		}
	}
	return 0;
}

/* Body of the guardian: remembers old values until the pipe closes, then writes them back. */
static void guardian_main(struct sb_sysctl_guard *g, int in)
{
	struct guard_record record;
	ssize_t len;

	while ((len = read(in, &record, sizeof(record))) != 0) {
		if (len < 0 && errno == EINTR)
			continue;
		if (len != sizeof(record) || record.index >= g->count)
			break;
		memcpy(g->sysctl[record.index].saved, record.value, sizeof(record.value));
	}
	for (unsigned int i = g->count; i-- > 0;)
		if (g->sysctl[i].saved[0])
			write_value(g->sysctl[i].fd, g->sysctl[i].saved);
	_exit(0);
}

/*
 * The guardian must not keep the parent's output pipes open (a reader would wait for it), nor
 * hear the terminal's Ctrl-C; it needs the locked sysctls and the pipe.
 */
static void guardian_detach(const struct sb_sysctl_guard *g, int in)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	for (int fd = 0; fd < (int)sysconf(_SC_OPEN_MAX) && fd < 1024; fd++) {
		bool keep = fd == in;

		for (unsigned int i = 0; i < g->count; i++)
			keep = keep || fd == g->sysctl[i].fd;
		if (!keep)
			close(fd);
	}
}

static int guardian_start(struct sb_sysctl_guard *g)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return sb_err(errno, "pipe for the sysctl guardian");
	g->guardian = fork();
	if (g->guardian < 0) {
		int err = errno;

		close(fds[0]);
		close(fds[1]);
		g->guardian = 0;
		return sb_err(err, "starting the sysctl guardian");
	}
	if (!g->guardian) {
		guardian_detach(g, fds[0]);
		guardian_main(g, fds[0]);
	}
	close(fds[0]);
	g->pipe = fds[1];
	return 0;
}

static int guardian_tell(struct sb_sysctl_guard *g, unsigned int index, const char *value)
{
	struct guard_record record = { .index = index };

	snprintf(record.value, sizeof(record.value), "%s", value);
	if (write(g->pipe, &record, sizeof(record)) != sizeof(record))
		return sb_err(errno, "telling the sysctl guardian");
	return 0;
}

static struct sb_sysctl *find(struct sb_sysctl_guard *g, const char *name)
{
	for (unsigned int i = 0; i < g->count; i++)
		if (!strcmp(g->sysctl[i].name, name))
			return &g->sysctl[i];
	return NULL;
}

/* Saves the present value, with the guardian first: death may come between the two. */
static int save(struct sb_sysctl_guard *g, struct sb_sysctl *s)
{
	char value[SB_SYSCTL_VALUE];
	int ret = read_value(s->fd, value);

	if (ret)
		return sb_err(ret, "reading /proc/sys/%s", s->name);
	if (g->pipe < 0)
		ret = guardian_start(g);
	if (!ret)
		ret = guardian_tell(g, (unsigned int)(s - g->sysctl), value);
	if (!ret)
		memcpy(s->saved, value, sizeof(s->saved));
	return ret;
}

int sb_sysctl_set(struct sb_sysctl_guard *g, const char *name, const char *value)
{
	struct sb_sysctl *s = find(g, name);
	char now[SB_SYSCTL_VALUE];
	int ret;

	if (!s) {
		sb_msg("sysctl %s is not among those the benchmark declares", name);
		return -EINVAL;
	}
	if (s->fd == -EACCES || s->fd == -EPERM || s->fd == -EROFS || s->fd == -ENOENT)
		return s->fd;
	if (s->fd < 0)
		return sb_err(s->fd, "opening /proc/sys/%s", name);
	if (!s->saved[0]) {
		ret = save(g, s);
		if (ret)
			return ret;
	}
	ret = write_value(s->fd, value);
	/* /proc/sys lets root of another user namespace open, and refuses the write. */
	if (ret == -EPERM || ret == -EACCES)
		return ret;
	if (ret)
		return sb_err(ret, "setting /proc/sys/%s to %s", name, value);
	ret = read_value(s->fd, now);
	if (ret)
		return sb_err(ret, "reading back /proc/sys/%s", name);
	if (strcmp(now, value)) {
		sb_msg("/proc/sys/%s did not take %s: it reads %s", name, value, now);
		return -EIO;
	}
	return 0;
}

static void guardian_end(struct sb_sysctl_guard *g)
{
	if (g->pipe < 0)
		return;
	close(g->pipe);
	g->pipe = -1;
	while (waitpid(g->guardian, NULL, 0) < 0 && errno == EINTR)
		;
}

int sb_sysctl_restore(struct sb_sysctl_guard *g)
{
	int ret = 0;

	for (unsigned int i = g->count; i-- > 0;) {
		struct sb_sysctl *s = &g->sysctl[i];

		if (s->fd < 0)
			continue;
		if (s->saved[0]) {
			int err = write_value(s->fd, s->saved);

			if (err)
				ret = sb_err(err, "restoring /proc/sys/%s to %s", s->name,
					     s->saved);
			else
				guardian_tell(g, i, "");
		}
		close(s->fd);
	}
	guardian_end(g);
	g->count = 0;
	return ret;
}

int sb_sysctl_read(const char *name, uint64_t *value)
{
	char path[128], text[SB_SYSCTL_VALUE];
	int fd, ret;

	snprintf(path, sizeof(path), "/proc/sys/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = read_value(fd, text);
	close(fd);
	return ret ? ret : sb_parse_u64(text, value);
}
