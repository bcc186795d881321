/* SPDX-License-Identifier: GPL-2.0-only */
/* CSV writing (RFC 4180, but LF line ends), with errors that are not lost. */
#ifndef SB_CSV_H
#define SB_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sb_csv {
	FILE *file;
	char *path;
	bool row_started;
};

/* Opens path for writing ("-" is stdout). Returns 0 or -errno after a message. */
int sb_csv_open(struct sb_csv *c, const char *path);

/* Fields of the current row; text is quoted when it has to be. */
void sb_csv_text(struct sb_csv *c, const char *text);
void sb_csv_u64(struct sb_csv *c, uint64_t value);
void sb_csv_double(struct sb_csv *c, double value);
void sb_csv_empty(struct sb_csv *c); /* no value: never written as 0 or nan */
void sb_csv_end_row(struct sb_csv *c);

/* A whole header line, given as it stands in the file. */
void sb_csv_header(struct sb_csv *c, const char *line);

/*
 * Flushes and closes. A write that failed anywhere since the opening is reported here, once.
 * Returns 0 or -errno after a message. Does nothing on a writer that was never opened.
 */
int sb_csv_close(struct sb_csv *c);

#endif
