/* SPDX-License-Identifier: GPL-2.0-only */
/* Small files of a run that are not tables: the reason of a status, key=value manifests. */
#ifndef REPORT_CELLFILE_H
#define REPORT_CELLFILE_H

#include <stddef.h>

#include "dataset.h"

/*
 * Why a cell has its status, in one line: what its verdict.txt says, or the last message of its
 * benchmark in stderr.log. Empty when it passed or nothing is known. Returns 0 or -errno after
 * a message.
 */
int cellfile_reason(const struct dataset *d, const struct cell *c, char *text, size_t size);

/* Wall seconds of a cell, the sum of its timing.csv. False when there is none. */
bool cellfile_seconds(const struct dataset *d, const struct cell *c, double *seconds);

/*
 * Calls line for each line of a file below the run folder, without its newline; line returns 0,
 * or what ends the reading. Returns that, -ENOENT without a message, or -errno after one.
 */
int cellfile_lines(const struct dataset *d, const char *below, const char *name,
		   int (*line)(char *text, void *data), void *data);

#endif
