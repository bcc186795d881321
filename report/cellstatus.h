/* SPDX-License-Identifier: GPL-2.0-only */
/* How a cell ended, as its file status says (docs/files.md). */
#ifndef REPORT_CELLSTATUS_H
#define REPORT_CELLSTATUS_H

#include <stdbool.h>

#define CELL_STATUS_SIZE 32

/*
 * Sets word to the status of the cell in the folder DIR/CELL: "incomplete" for an empty file,
 * which a cell that is at work or was killed leaves, and "not run" for none. Returns 0, or
 * -errno after a message.
 */
int cell_status(char word[CELL_STATUS_SIZE], const char *dir, const char *cell);

/* Whether it passed, or was skipped because it has nothing to do there: then no figures are
 * lost. */
bool cell_ended_well(const char *word);

#endif
