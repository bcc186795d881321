// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CSV reader: any bytes are rows or an error; a byte order mark makes no difference; rows
 * that were read can be written and read again; the line it names holds the row.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "../../core/csv.h"
#include "../../report/readcsv.h"

static const char *const columns[] = { "value", "name", NULL };

/* The rows as CSV again, and of the first field of each its line. */
struct seen {
	struct sb_csv rows;
	unsigned int count;
	const uint8_t *data; /* to look lines up in, or NULL */
	size_t len;
};

/* Whether @text stands in line @line (from 1) of the file. */
static bool stands_in(const struct seen *s, unsigned long line, const char *text)
{
	const uint8_t *at = s->data, *end = s->data + s->len, *stop;

	for (; line > 1; line--) {
		at = memchr(at, '\n', (size_t)(end - at));
		if (!at++)
			return false;
	}
	stop = memchr(at, '\n', (size_t)(end - at));
	return !*text || memmem(at, (size_t)((stop ? stop : end) - at), text, strlen(text));
}

static int on_row(char **fields, unsigned long line, void *data)
{
	struct seen *s = data;

	PROMISE(line > 1);
	PROMISE(!s->data || stands_in(s, line, fields[0]));
	sb_csv_text(&s->rows, fields[0]);
	sb_csv_text(&s->rows, fields[1]);
	sb_csv_end_row(&s->rows);
	s->count++;
	return 0;
}

struct text {
	char *at;
	size_t len;
};

/* Reads the bytes as a file, behind @before; leaves the rows in @rows, to be freed. */
static int read_bytes(const char *before, const uint8_t *data, size_t len, bool lines,
		      struct text *rows, unsigned int *count)
{
	int fd = memfd_create("csv", MFD_CLOEXEC), ret;
	struct seen s = { .data = lines ? data : NULL, .len = len };
	char path[32];

	s.rows.file = open_memstream(&rows->at, &rows->len);
	PROMISE(fd >= 0 && s.rows.file);
	PROMISE(write(fd, before, strlen(before)) == (ssize_t)strlen(before));
	PROMISE(write(fd, data, len) == (ssize_t)len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fprintf(s.rows.file, "value,name\n");
	ret = readcsv(path, columns, on_row, &s);
	close(fd);
	PROMISE(!sb_csv_close(&s.rows));
	*count = s.count;
	return ret;
}

/* Only files whose lines are those of an editor: no quotes, each CR before its LF. */
static bool plain_lines(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (data[i] == '"' ||
		    (data[i] == '\r' && (i + 1 == len || data[i + 1] != '\n')))
			return false;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	bool marked = len >= 3 && !memcmp(data, "\xef\xbb\xbf", 3);
	struct text rows, again;
	unsigned int count, count_again;
	int ret;

	ret = read_bytes("", data, len, !marked && plain_lines(data, len), &rows, &count);
	PROMISE(ret <= 0);
	if (!marked && len) {
		PROMISE(read_bytes("\xef\xbb\xbf", data, len, false, &again, &count_again) ==
			ret);
		PROMISE(rows.len == again.len && !memcmp(rows.at, again.at, rows.len));
		free(again.at);
	}
	if (!ret) {
		PROMISE(!read_bytes("", (uint8_t *)rows.at, rows.len, false, &again,
				    &count_again));
		PROMISE(count == count_again);
		PROMISE(rows.len == again.len && !memcmp(rows.at, again.at, rows.len));
		free(again.at);
	}
	free(rows.at);
	return 0;
}
