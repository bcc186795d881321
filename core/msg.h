/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages to people: one line on stderr, always naming the program. */
#ifndef SB_MSG_H
#define SB_MSG_H

/* Exit statuses shared by every program of the project. */
enum sb_exit {
	SB_EXIT_OK = 0,
	SB_EXIT_FAILED = 1,
	SB_EXIT_USAGE = 2, /* bad arguments, or an environment that cannot do what was asked */
	SB_EXIT_SKIPPED = 77,
	SB_EXIT_SIGNAL = 128, /* plus the number of the signal */
};

/* Prints "PROGRAM: ..." and a newline. */
void sb_msg(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Prints "PROGRAM: ...: <text of err>". err is an errno value, positive or negative.
 * Returns -|err|, so that an error path is one line.
 */
int sb_err(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
