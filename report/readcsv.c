// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <csv.h>

#include "../core/msg.h"
#include "readcsv.h"

#define COLUMNS_MAX 64
/* Rows of ours have some 200 bytes; one this long is no CSV of ours, whatever it is. */
#define ROW_MAX (1 << 20)

struct reader {
	const char *path;
	const char *const *columns;
	int (*row)(char **fields, unsigned long line, void *data);
	void *data;
	/* Of the row that is being read: the fields' texts one after the other, a NUL after
	 * each. */
	char *text;
	size_t text_len, text_room;
	size_t field[COLUMNS_MAX]; /* where in text */
	unsigned int fields;
	int wanted[COLUMNS_MAX]; /* place in the file of each named column */
	unsigned int width;	 /* of the header; 0 = not read yet */
	unsigned long line;	 /* where the present row begins */
	unsigned long inner;	 /* line ends within its quoted fields */
	int last_end;		 /* the byte that ended the row before */
	unsigned long row_bytes;
	int error;
};

static void fail(struct reader *r, int err, const char *what)
{
	if (r->error)
		return;
	sb_msg("%s:%lu: %s", r->path, r->line, what);
	r->error = err;
}

static bool more_room(struct reader *r, size_t len)
{
	size_t room = 2 * (r->text_room + len);
	char *grown = realloc(r->text, room);

	if (!grown) {
		fail(r, -ENOMEM, "out of memory");
		return false;
	}
	r->text = grown;
	r->text_room = room;
	return true;
}

static void on_field(void *text, size_t len, void *data)
{
	struct reader *r = data;

	if (r->error)
		return;
	r->row_bytes = 0;
	if (r->fields == COLUMNS_MAX) {
		fail(r, -EINVAL, "too many columns");
		return;
	}
	if (len && memchr(text, '\0', len)) {
		fail(r, -EINVAL, "not a text file");
		return;
	}
	if (r->text_len + len + 1 > r->text_room && !more_room(r, len + 1))
		return;
	r->field[r->fields++] = r->text_len;
	if (len)
		memcpy(r->text + r->text_len, text, len);
	for (size_t i = 0; i < len; i++)
		r->inner += ((char *)text)[i] == '\n';
	r->text_len += len;
	r->text[r->text_len++] = '\0';
}

static void read_header(struct reader *r)
{
	char what[128];

	r->width = r->fields;
	for (unsigned int c = 0; r->columns[c]; c++) {
		r->wanted[c] = -1;
		for (unsigned int f = 0; f < r->fields; f++)
			if (!strcmp(r->text + r->field[f], r->columns[c]))
				r->wanted[c] = (int)f;
		if (r->wanted[c] < 0) {
			snprintf(what, sizeof(what), "no column '%s'", r->columns[c]);
			fail(r, -EINVAL, what);
			return;
		}
	}
}

static void read_row(struct reader *r)
{
	char *fields[COLUMNS_MAX];
	char what[128];

	if (r->fields != r->width) {
		snprintf(what, sizeof(what), "%u fields where the header has %u", r->fields,
			 r->width);
		fail(r, -EINVAL, what);
		return;
	}
	for (unsigned int c = 0; r->columns[c]; c++)
		fields[c] = r->text + r->field[r->wanted[c]];
	r->error = r->row(fields, r->line, r->data);
}

static void on_row(int end, void *data)
{
	struct reader *r = data;
	/* Blank lines are rows of no field, and so is what lies between CR and LF. */
	bool same_line = end == '\n' && r->last_end == '\r';

	if (!r->error && r->fields) {
		if (!r->width)
			read_header(r);
		else
			read_row(r);
	}
	if (!same_line)
		r->line += 1 + r->inner;
	r->last_end = end;
	r->fields = 0;
	r->text_len = 0;
	r->inner = 0;
}

/* The bytes of the file, less a byte order mark at its beginning. */
static size_t next_chunk(FILE *in, char *buf, size_t len, bool first)
{
	size_t got = fread(buf, 1, len, in);

	if (first && got >= 3 && !memcmp(buf, "\xef\xbb\xbf", 3)) {
		memmove(buf, buf + 3, got - 3);
		got -= 3;
	}
	return got;
}

static void parse(struct reader *r, FILE *in)
{
	struct csv_parser parser;
	bool first = true;
	char buf[65536];
	size_t got;

	if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL)) {
		fail(r, -ENOMEM, "cannot set up the CSV parser");
		return;
	}
	while (!r->error && (got = next_chunk(in, buf, sizeof(buf), first)) > 0) {
		first = false;
		r->row_bytes += got;
		if (csv_parse(&parser, buf, got, on_field, on_row, r) != got)
			fail(r, -EINVAL, csv_strerror(csv_error(&parser)));
		if (r->row_bytes > ROW_MAX)
			fail(r, -EINVAL, "a row of more than 1 MiB");
	}
	if (!r->error && ferror(in))
		fail(r, -EIO, "read error");
	if (csv_fini(&parser, on_field, on_row, r) && !r->error)
		fail(r, -EINVAL, "the file ends inside a quoted field");
	csv_free(&parser);
}

int readcsv(const char *path, const char *const *columns,
	    int (*row)(char **fields, unsigned long line, void *data), void *data)
{
	struct reader r = {
		.path = path,
		.columns = columns,
		.row = row,
		.data = data,
		.line = 1,
	};
	FILE *in = fopen(path, "re");

	if (!in)
		return errno == ENOENT || errno == ENOTDIR
			       ? -ENOENT
			       : sb_err(errno, "cannot read %s", path);
	parse(&r, in);
	fclose(in);
	free(r.text);
	if (!r.error && !r.width)
		fail(&r, -EINVAL, "the file is empty");
	return r.error;
}

int readcsv_at(const char *const *columns,
	       int (*row)(char **fields, unsigned long line, void *data), void *data,
	       const char *path, ...)
{
	char *text;
	va_list ap;
	int ret;

	va_start(ap, path);
	ret = vasprintf(&text, path, ap);
	va_end(ap);
	if (ret < 0)
		return sb_err(ENOMEM, "reading a CSV file");
	ret = readcsv(text, columns, row, data);
	free(text);
	return ret;
}
