// SPDX-License-Identifier: GPL-2.0-only
#include "help.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void die(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(status);
}

#define OPTIONS_MAX 16

struct reading {
	const struct setting *options;
	size_t count;
	bool (*word)(const char *word, void *data);
	void *data;
};

static void read_value(const struct setting *o, const char *arg, struct argp_state *state)
{
	char *end = NULL;

	if (o->text) {
		*o->text = arg;
		return;
	}
	errno = 0;
	if (o->fraction) {
		*o->fraction = strtod(arg, &end);
		if (*o->fraction > (double)o->least && !*end && !errno)
			return;
	} else {
		*o->whole = strtol(arg, &end, 10);
		if (*o->whole >= o->least && (!o->most || *o->whole <= o->most) && end != arg &&
		    !*end && !errno)
			return;
	}
	argp_error(state, "--%s: '%s' is out of range", o->name, arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct reading *r = state->input;

	if (key == ARGP_KEY_ARG) {
		if (!r->word || !r->word(arg, r->data))
			argp_error(state, "'%s' is out of place", arg);
		return 0;
	}
	for (size_t i = 0; i < r->count; i++) {
		if (r->options[i].key != key)
			continue;
		read_value(&r->options[i], arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

void read_options(int argc, char **argv, const struct setting *options, size_t count,
		  const char *words, const char *doc,
		  bool (*word)(const char *word, void *data), void *data)
{
	struct reading r = { .options = options, .count = count, .word = word, .data = data };
	struct argp_option list[OPTIONS_MAX + 1] = { 0 };
	const struct argp argp = {
		.options = list, .parser = parse, .args_doc = words, .doc = doc
	};

	for (size_t i = 0; i < count && i < OPTIONS_MAX; i++) {
		list[i].name = options[i].name;
		list[i].key = options[i].key;
		list[i].arg = options[i].value;
		list[i].doc = options[i].help;
	}
	argp_err_exit_status = USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &r);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

static bool only_word(const char *word, void *data)
{
	const char **file = data;

	if (*file)
		return false;
	*file = word;
	return true;
}

const char *read_options_and_file(int argc, char **argv, const struct setting *options,
				  size_t count, const char *what, const char *doc)
{
	const char *file = NULL;

	read_options(argc, argv, options, count, what, doc, only_word, &file);
	if (!file)
		die(USAGE, "no %s (see --help)", what);
	return file;
}

double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

void sleep_for(double seconds)
{
	struct timespec ts = {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)((seconds - (time_t)seconds) * 1e9),
	};

	while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
		;
}

bool write_file(const char *path, const char *value)
{
	bool done;
	FILE *f;

	f = fopen(path, "w");
	if (!f)
		return false;
	done = fputs(value, f) >= 0;
	return fclose(f) == 0 && done;
}

long read_number(const char *path)
{
	long value;
	FILE *f;

	f = fopen(path, "r");
	if (!f || fscanf(f, "%ld", &value) != 1)
		die(SKIPPED, "cannot read %s", path);
	fclose(f);
	return value;
}
