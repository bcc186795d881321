/* SPDX-License-Identifier: GPL-2.0-only */
/* Data for the pictures: one file per picture, its kind being the first part of its name. */
#ifndef REPORT_PLOTDATA_H
#define REPORT_PLOTDATA_H

#include "dataset.h"

/*
 * Writes plots/KIND.BENCH.dat for each picture that the run has data for. Curves are blocks
 * between two blank lines, each beginning with its title in quotes.
 * Returns 0 or -errno after a message.
 */
int plotdata_write(struct dataset *d);

#endif
