// SPDX-License-Identifier: GPL-2.0-only
#include "cellfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "readcsv.h"

int cellfile_lines(const struct dataset *d, const char *below, const char *name,
		   int (*line)(char *text, void *data), void *data)
{
	char *path = dataset_path(d, below, name), *text = NULL;
	FILE *file = path ? fopen(path, "re") : NULL;
	size_t room = 0;
	ssize_t len;
	int ret = 0;

	if (!path)
		return -ENOMEM;
	if (!file) {
		ret = errno == ENOENT ? -ENOENT : sb_err(errno, "%s", path);
		free(path);
		return ret;
	}
	while (!ret && (len = getline(&text, &room, file)) >= 0) {
		if (len && text[len - 1] == '\n')
			text[len - 1] = '\0';
		ret = line(text, data);
	}
	if (!ret && ferror(file))
		ret = sb_err(errno ? errno : EIO, "reading %s", path);
	fclose(file);
	free(text);
	free(path);
	return ret;
}

struct reason {
	char *text;
	size_t size;
	const char *bench, *status;
};

/* "STATUS: why", in one line. */
static int verdict(char *text, void *data)
{
	struct reason *r = data;
	size_t len = strlen(r->status);

	if (!strncmp(text, r->status, len) && !strncmp(text + len, ": ", 2))
		snprintf(r->text, r->size, "%s", text + len + 2);
	return 0;
}

/* Messages are "BENCH: ..."; progress is "BENCH PHASE: ...". */
static int last_message(char *text, void *data)
{
	struct reason *r = data;
	size_t len = strlen(r->bench);

	if (!strncmp(text, r->bench, len) && !strncmp(text + len, ": ", 2))
		snprintf(r->text, r->size, "%s", text);
	return 0;
}

int cellfile_reason(const struct dataset *d, const struct cell *c, char *text, size_t size)
{
	struct reason r = { text, size, c->bench, c->status };
	int ret;

	text[0] = '\0';
	if (c->passed)
		return 0;
	ret = cellfile_lines(d, c->dir, "verdict.txt", verdict, &r);
	if ((!ret || ret == -ENOENT) && !text[0])
		ret = cellfile_lines(d, c->dir, "stderr.log", last_message, &r);
	return ret == -ENOENT ? 0 : ret;
}

static int add_seconds(char **f, unsigned long line, void *data)
{
	double *sum = data, one;

	(void)line;
	if (!sb_parse_double(f[0], &one))
		*sum += one;
	return 0;
}

bool cellfile_seconds(const struct dataset *d, const struct cell *c, double *seconds)
{
	static const char *const column[] = { "seconds", NULL };
	char *path = dataset_path(d, c->dir, "timing.csv");
	int ret = -ENOMEM;

	*seconds = 0;
	if (path)
		ret = readcsv(path, column, add_seconds, seconds);
	free(path);
	return !ret;
}
