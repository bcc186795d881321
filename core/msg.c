// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msg.h"

static void vmsg(int err, const char *fmt, va_list ap)
{
	char line[1024];

	/* One write per line: messages of several processes must not interleave. */
	vsnprintf(line, sizeof(line), fmt, ap);
	fflush(stdout);
	if (err)
		fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, line,
			strerror(err));
	else
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
}

void sb_msg(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vmsg(0, fmt, ap);
	va_end(ap);
}

int sb_err(int err, const char *fmt, ...)
{
	va_list ap;

	err = abs(err);
	va_start(ap, fmt);
	vmsg(err, fmt, ap);
	va_end(ap);
	return -err;
}
