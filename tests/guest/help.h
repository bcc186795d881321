/* SPDX-License-Identifier: GPL-2.0-only */
/* What all tests that run in a guest share: ending, time, files of /proc and /sys. */
#ifndef HELP_H
#define HELP_H

#include <stdbool.h>

#define PASSED 0
#define FAILED 1
#define USAGE 2
#define SKIPPED 77

/* Ends the program with a message. */
_Noreturn void die(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Seconds of the monotonic clock. */
double now(void);
void sleep_for(double seconds);

/* Writes to a file of /proc or /sys; false with errno set. */
bool write_file(const char *path, const char *value);
long read_number(const char *path);

#endif
