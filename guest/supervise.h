/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs one QEMU, watches it and says how it ended. */
#ifndef GUEST_SUPERVISE_H
#define GUEST_SUPERVISE_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "../core/csv.h"
#include "chan.h"
#include "collect.h"
#include "console.h"
#include "ordered.h"

/* Room for the text of a finding. */
#define GUEST_FIRST_LEN 256

/* How a guest ended; guest_status_word() has the words. */
enum guest_status {
	GUEST_PASS,
	GUEST_FAIL,
	GUEST_SKIP,
	GUEST_TIMEOUT,
	GUEST_PANIC,
	GUEST_SPLAT,
	GUEST_INCOMPLETE,
	GUEST_INTERRUPTED,
	GUEST_NO_QEMU, /* QEMU itself did not start: nothing is known about the kernel */
};

/* Limits in seconds; 0 means none. */
struct guest_limits {
	unsigned int boot;    /* from the start of QEMU to the start of the command */
	unsigned int silence; /* nothing on console and channel while the command runs */
	unsigned int total;
};

struct guest {
	/* Set by the caller. */
	int dir;     /* where everything goes */
	char **argv; /* QEMU's, NULL-ended */
	struct guest_limits limits;
	struct ordered ordered;
	int owner;		/* pidfd of the process that must not be outlived, or -1 */
	struct sb_csv findings; /* console.csv, open and with its header */

	/* Found out. */
	enum guest_status status;
	char why[512];	      /* for people; empty for a pass */
	uint64_t bad, hogged; /* console lines */
	char first_bad[GUEST_FIRST_LEN], first_panic[GUEST_FIRST_LEN];
	struct collect collect;

	/* Inner state. */
	pid_t pid; /* 0: not running */
	bool owner_gone;
	int pidfd, console, channel;
	int wait_status;
	uint64_t console_bytes, progress_ns, panic_ns;
	struct console_scan scan;
	struct chan_in in;
};

/*
 * Boots the guest and follows it to its end; g->status and g->why are then set. QEMU must write
 * the console to console.log and the channel to channel.raw of the folder. Returns 0 if a
 * verdict was reached (whatever it is), or -errno after a message.
 */
int guest_run(struct guest *g, const struct console_rules *rules);

/* pass, fail, ...; GUEST_NO_QEMU is "incomplete". */
const char *guest_status_word(enum guest_status status);

#endif
