/* SPDX-License-Identifier: GPL-2.0-only */
/* What all tests that run in a guest share: ending, time, files of /proc and /sys. */
#ifndef HELP_H
#define HELP_H

#include <stdbool.h>
#include <stddef.h>

#define PASSED 0
#define FAILED 1
#define USAGE 2
#define SKIPPED 77

/* Ends the program with a message. */
_Noreturn void die(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * An option with a value, to one of: a whole number or a fraction, neither below least and the
 * whole one not above most (0: any), or a text.
 */
struct setting {
	const char *name;
	char key;
	const char *value, *help;
	long *whole;
	double *fraction;
	const char **text;
	long least, most;
};

/*
 * Reads the command line, and ends the program with USAGE when it makes no sense: a value out
 * of range, or a word that word() does not take (NULL: there are none). @words and @doc are as
 * in struct argp. Lines are written whole from then on, so that the console shows how far a
 * test came.
 */
void read_options(int argc, char **argv, const struct setting *options, size_t count,
		  const char *words, const char *doc,
		  bool (*word)(const char *word, void *data), void *data);

/* The same, where there has to be one word: returns it. */
const char *read_options_and_file(int argc, char **argv, const struct setting *options,
				  size_t count, const char *file, const char *doc);

/* Seconds of the monotonic clock. */
double now(void);
void sleep_for(double seconds);

/* Writes to a file of /proc or /sys; false with errno set. */
bool write_file(const char *path, const char *value);
long read_number(const char *path);

#endif
