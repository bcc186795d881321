/* SPDX-License-Identifier: GPL-2.0-only */
/* The block for a commit message: results without and with a change, as they were published. */
#ifndef REPORT_COMMIT_H
#define REPORT_COMMIT_H

#include <stdio.h>

#include "dataset.h"

/*
 * Prints the first metric of each benchmark for the first kernel of the run (without the
 * change) and the second (with it), and beside it the published ratios, where dataset.reference
 * holds BENCH.csv (kernel,phase,min,avg,max,var; kernels "without" and "with").
 * Returns 0 or -errno after a message (-EINVAL: not two kernels).
 */
int commit_print(struct dataset *d, FILE *out);

#endif
