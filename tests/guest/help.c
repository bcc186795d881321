// SPDX-License-Identifier: GPL-2.0-only
#include "help.h"

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
