// SPDX-License-Identifier: GPL-2.0-only
/* The supervisor's end of the result channel. */
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../core/clock.h"
#include "../core/msg.h"

bool collect_reserved(const char *name)
{
	static const char *const ours[] = {
		"status",   "console.log",   "console.csv", "channel.raw", "qemu.log",
		"boot.csv", "guest-env.csv", "timing.csv",  "verdict.txt",
	};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (strcmp(name, ours[i]) == 0)
			return true;
	return false;
}

static int on_event(void *ctx, const char *name, uint64_t value)
{
	static const char *const names[STEPS] = {
		[STEP_INIT] = "init", [STEP_START] = "start", [STEP_STOP] = "stop"
	};
	struct collect *c = ctx;

	for (int i = 0; i < STEPS; i++)
		if (names[i] && strcmp(name, names[i]) == 0) {
			c->at_ns[i] = sb_now_ns();
			c->guest_us[i] = value;
		}
	return 0;
}

static int on_file_begin(void *ctx, const char *name, uint64_t size)
{
	struct collect *c = ctx;

	(void)size;
	if (collect_reserved(name)) {
		sb_msg("the guest sends a file named '%s', a name that is ours", name);
		return -EPERM;
	}
	snprintf(c->name, sizeof(c->name), "%s", name);
	snprintf(c->part, sizeof(c->part), ".%.240s.part", name);
	c->fd = openat(c->dir, c->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	return c->fd < 0 ? sb_err(errno, "%s", c->part) : 0;
}

static int on_file_data(void *ctx, const uint8_t *data, size_t len)
{
	struct collect *c = ctx;

	while (len > 0) {
		ssize_t n = write(c->fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sb_err(errno, "%s", c->name);
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static int on_file_end(void *ctx, uint64_t lines)
{
	struct collect *c = ctx;
	int fd = c->fd;

	(void)lines;
	c->fd = -1;
	if (close(fd) || renameat(c->dir, c->part, c->dir, c->name))
		return sb_err(errno, "%s", c->name);
	return 0;
}

static int on_end(void *ctx, uint64_t value)
{
	struct collect *c = ctx;

	c->at_ns[STEP_END] = sb_now_ns();
	c->value = value;
	return 0;
}

const struct chan_sink collect_sink = {
	.event = on_event,
	.file_begin = on_file_begin,
	.file_data = on_file_data,
	.file_end = on_file_end,
	.end = on_end,
};

void collect_abort(struct collect *c)
{
	if (c->fd < 0)
		return;
	close(c->fd);
	c->fd = -1;
	unlinkat(c->dir, c->part, 0);
}
