// SPDX-License-Identifier: GPL-2.0-only
/* Writing CSV, reading it back, and what is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../core/csv.h"
#include "../../report/readcsv.h"

#define NASTY "6.1,\"patched\"\nsecond line"

static char path[] = "/tmp/stallbench-csv-XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void put(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static const char *const columns[] = { "value", "name", NULL };

struct seen {
	unsigned int rows;
	unsigned long line; /* of the last one */
	char value[64], name[64];
};

static int on_row(char **f, unsigned long line, void *data)
{
	struct seen *s = data;

	s->line = line;
	s->rows++;
	snprintf(s->value, sizeof(s->value), "%s", f[0]);
	snprintf(s->name, sizeof(s->name), "%s", f[1]);
	return 0;
}

static int read_text(const char *text, size_t len, struct seen *s)
{
	*s = (struct seen){ 0 };
	put(text, len);
	return readcsv(path, columns, on_row, s);
}

static void what_is_written_reads_back(void **state)
{
	struct sb_csv c;
	struct seen s = { 0 };

	(void)state;
	assert_int_equal(sb_csv_open(&c, path), 0);
	sb_csv_header(&c, "name,value,rest");
	sb_csv_text(&c, NASTY);
	sb_csv_double(&c, 0.1);
	sb_csv_empty(&c);
	sb_csv_end_row(&c);
	assert_int_equal(sb_csv_close(&c), 0);
	assert_int_equal(readcsv(path, columns, on_row, &s), 0);
	assert_int_equal(s.rows, 1);
	assert_string_equal(s.name, NASTY);
	assert_string_equal(s.value, "0.1");
}

/* A reader takes unquoted blanks for decoration. */
static void blanks_at_the_edges_stay(void **state)
{
	static const char *const texts[] = { " a", "a ", "\ta", "a\t", " ", "a b" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sb_csv c;
		struct seen s = { 0 };

		assert_int_equal(sb_csv_open(&c, path), 0);
		sb_csv_header(&c, "name,value");
		sb_csv_text(&c, texts[i]);
		sb_csv_text(&c, texts[i]);
		sb_csv_end_row(&c);
		assert_int_equal(sb_csv_close(&c), 0);
		assert_int_equal(readcsv(path, columns, on_row, &s), 0);
		assert_string_equal(s.name, texts[i]);
		assert_string_equal(s.value, texts[i]);
	}
}

static void a_row_knows_its_line(void **state)
{
	static const struct {
		const char *text;
		unsigned long line;
	} files[] = {
		{ "name,value\nx,1\n", 2 },
		{ "\n\nname,value\n\n\nx,1\n\n", 6 },
		{ "name,value\r\nx,1\r\ny,2\r\n", 3 },
		{ "name,value\r\n\r\nx,1", 3 },
		{ "name,value\n\"two\nlines\",1\ny,2\n", 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct seen s;

		assert_int_equal(read_text(files[i].text, strlen(files[i].text), &s), 0);
		assert_int_equal(s.line, files[i].line);
	}
}

static void dressed_up_files_equal_their_plain_twin(void **state)
{
	static const char *const twins[] = {
		"name,value\n\"6.1,patched\",5\n",
		"name,value\r\n\"6.1,patched\",5\r\n",
		"\xef\xbb\xbfname,value\n\"6.1,patched\",5\n",
		"name,value\n\"6.1,patched\",5",
		"\"name\",\"value\"\n\"6.1,patched\",\"5\"\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(twins) / sizeof(twins[0]); i++) {
		struct seen s;

		assert_int_equal(read_text(twins[i], strlen(twins[i]), &s), 0);
		assert_int_equal(s.rows, 1);
		assert_string_equal(s.name, "6.1,patched");
		assert_string_equal(s.value, "5");
	}
}

static void broken_files_are_refused(void **state)
{
	static const char *const broken[] = {
		"",
		"name,other\n1,2\n",
		"name,value\n1,2,3\n",
		"name,value\n1\n",
		"name,value\n\"never ends,5\n",
	};
	struct seen s;

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
		assert_int_equal(read_text(broken[i], strlen(broken[i]), &s), -EINVAL);
	assert_int_equal(read_text("name,value\na\0b,1\n", 17, &s), -EINVAL);
	assert_int_equal(readcsv("/nonexistent", columns, on_row, &s), -ENOENT);
}

static void an_endless_line_is_refused(void **state)
{
	size_t len = 3 << 20;
	char *text = malloc(len);
	struct seen s;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', len);
	assert_int_equal(read_text(text, len, &s), -EINVAL);
	free(text);
}

static void a_full_disk_is_an_error(void **state)
{
	struct sb_csv c;

	(void)state;
	assert_int_equal(sb_csv_open(&c, "/dev/full"), 0);
	sb_csv_header(&c, "name,value");
	assert_int_equal(sb_csv_close(&c), -ENOSPC);
	assert_int_equal(sb_csv_open(&c, "/nonexistent/file"), -ENOENT);
	assert_int_equal(sb_csv_close(&(struct sb_csv){ 0 }), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_reads_back),
		cmocka_unit_test(blanks_at_the_edges_stay),
		cmocka_unit_test(a_row_knows_its_line),
		cmocka_unit_test(dressed_up_files_equal_their_plain_twin),
		cmocka_unit_test(broken_files_are_refused),
		cmocka_unit_test(an_endless_line_is_refused),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests_name("csv", tests, make_file, remove_file);
}
