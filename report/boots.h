/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REPORT_BOOTS_H
#define REPORT_BOOTS_H

#include <stdio.h>

#include "dataset.h"

#define BOOTS_HEADER "kernel,clock,row,wobble_percent,boot,figure"

/*
 * Every boot's primary figures as CSV: what `make calibrate` draws its reports from. Rows that
 * have no figure above 0 in some boot are left out. Returns 0 or -errno after a message.
 */
int boots_print(const struct dataset *d, FILE *out);

#endif
