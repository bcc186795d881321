/* SPDX-License-Identifier: GPL-2.0-only */
/* A run as KTAP, the kernel's form of test results. */
#ifndef REPORT_KTAP_H
#define REPORT_KTAP_H

#include <stdio.h>

#include "dataset.h"

/*
 * Writes KTAP version 1 (Documentation/dev-tools/ktap.rst): a test per cell, in a cell that
 * passed a subtest per phase with the phase's figures as diagnostic lines. What was skipped,
 * timed out or failed carries the directive for it. Returns 0 or -errno after a message.
 */
int ktap_print(const struct dataset *d, FILE *out);

#endif
