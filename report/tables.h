/* SPDX-License-Identifier: GPL-2.0-only */
/* tables.txt: the run as people read it, in the published form where there is one. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "dataset.h"

/* Writes tables.txt. Returns 0 or -errno after a message. */
int tables_write(struct dataset *d);

#endif
