/* SPDX-License-Identifier: GPL-2.0-only */
/* Sysctls that a benchmark changes, put back on every exit: SIGKILL and the OOM killer
 * included. */
#ifndef SB_SYSCTL_H
#define SB_SYSCTL_H

#include <stdint.h>
#include <sys/types.h>

#define SB_SYSCTL_MAX 8
#define SB_SYSCTL_VALUE 64

struct sb_sysctl {
	const char *name;	     /* below /proc/sys, "kernel/keys/gc_delay" */
	int fd;			     /* open for writing and locked, or -errno of the attempt */
	char saved[SB_SYSCTL_VALUE]; /* value before the first change; "" = not changed */
};

struct sb_sysctl_guard {
	struct sb_sysctl sysctl[SB_SYSCTL_MAX];
	unsigned int count;
	int pipe; /* to the guardian process; -1 = not started */
	pid_t guardian;
};

/*
 * Opens the named sysctls (ended by NULL) and locks them, so that two runs cannot save each
 * other's temporary values. One that cannot be opened is no error until it is set.
 * Returns 0, or -EBUSY after a message when another run holds one.
 */
int sb_sysctl_open(struct sb_sysctl_guard *g, const char *const *names);

/*
 * Sets a sysctl named to sb_sysctl_open and reads it back. Before the first change a guardian
 * process is started that restores the value should this one die. Returns 0 or -errno; there
 * is a message except for -EACCES, -EPERM, -EROFS and -ENOENT, which callers explain better.
 */
int sb_sysctl_set(struct sb_sysctl_guard *g, const char *name, const char *value);

/* Restores everything, in reverse order, and ends the guardian. Returns 0 or -errno. */
int sb_sysctl_restore(struct sb_sysctl_guard *g);

/* Reads a whole number from /proc/sys. Returns 0 or -errno, without a message. */
int sb_sysctl_read(const char *name, uint64_t *value);

#endif
