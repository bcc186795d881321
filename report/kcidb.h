/* SPDX-License-Identifier: GPL-2.0-only */
/* A run as a report for KernelCI's database (KCIDB). */
#ifndef REPORT_KCIDB_H
#define REPORT_KCIDB_H

#include <stdio.h>

#include "dataset.h"

/*
 * Writes JSON of KCIDB's I/O schema, version 5.3 (kcidb-io, schema/v05_03.py): a checkout per
 * source and patches, a build per kernel image, and as tests the cells and the primary figures
 * of those that passed. origin is the name of the submitting system: [a-z0-9_]+. Returns 0,
 * -EINVAL after a message when origin is none, or -errno after a message.
 */
int kcidb_print(const struct dataset *d, const char *origin, FILE *out);

#endif
