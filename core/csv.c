// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "msg.h"
#include "num.h"
#include "stream.h"

int sb_csv_open(struct sb_csv *c, const char *path)
{
	bool to_stdout = !strcmp(path, "-");

	memset(c, 0, sizeof(*c));
	c->path = strdup(to_stdout ? "standard output" : path);
	if (!c->path)
		return sb_err(ENOMEM, "opening %s", path);
	c->file = to_stdout ? stdout : fopen(path, "we");
	if (!c->file) {
		int err = errno;

		free(c->path);
		c->path = NULL;
		return sb_err(err, "cannot write %s", path);
	}
	return 0;
}

static void separate(struct sb_csv *c)
{
	if (c->row_started)
		fputc(',', c->file);
	c->row_started = true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Readers drop blanks around a field that is not quoted. */
static bool needs_quotes(const char *text)
{
	size_t len = strlen(text);

	return text[strcspn(text, ",\"\r\n")] ||
	       (len && (is_blank(text[0]) || is_blank(text[len - 1])));
}

void sb_csv_text(struct sb_csv *c, const char *text)
{
	separate(c);
	if (!needs_quotes(text)) {
		fputs(text, c->file);
		return;
	}
	fputc('"', c->file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', c->file);
		fputc(*text, c->file);
	}
	fputc('"', c->file);
}

void sb_csv_u64(struct sb_csv *c, uint64_t value)
{
	separate(c);
	fprintf(c->file, "%" PRIu64, value);
}

void sb_csv_double(struct sb_csv *c, double value)
{
	char buf[SB_NUM_LEN];

	separate(c);
	fputs(sb_num(buf, value), c->file);
}

void sb_csv_empty(struct sb_csv *c)
{
	separate(c);
}

void sb_csv_end_row(struct sb_csv *c)
{
	fputc('\n', c->file);
	c->row_started = false;
}

void sb_csv_header(struct sb_csv *c, const char *line)
{
	fprintf(c->file, "%s\n", line);
}

int sb_csv_close(struct sb_csv *c)
{
	int ret;

	if (!c->file)
		return 0;
	ret = c->file == stdout ? sb_flush(stdout, c->path) : sb_close(c->file, c->path);
	free(c->path);
	memset(c, 0, sizeof(*c));
	return ret;
}
