/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading CSV files by column name, with errors that name file and line. */
#ifndef REPORT_READCSV_H
#define REPORT_READCSV_H

/*
 * Calls row for every row after the header with the fields of the named columns, in the
 * order of the names (ended by NULL); fields are valid during the call. row returns 0, or a
 * -errno after a message, which ends the reading. A byte order mark, CRLF and a missing last
 * newline make no difference; other columns are ignored.
 * Returns 0, -ENOENT without a message, or -errno after a message: a column that is missing,
 * a row of another width, binary data, an overlong or unfinished row.
 */
int readcsv(const char *path, const char *const *columns,
	    int (*row)(char **fields, unsigned long line, void *data), void *data);

/* The same with a path that is put together, as by printf(); -ENOMEM after a message, too. */
int readcsv_at(const char *const *columns,
	       int (*row)(char **fields, unsigned long line, void *data), void *data,
	       const char *path, ...) __attribute__((format(printf, 4, 5)));

#endif
