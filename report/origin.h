/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a kernel's figures come from, in the few words that belong above every table. */
#ifndef REPORT_ORIGIN_H
#define REPORT_ORIGIN_H

#include "dataset.h"

struct origin {
	char release[96], clock[16], accelerator[16];
};

/* From the environment of the kernel's first cell that has one. 0 or -errno after a message. */
int origin_find(const struct dataset *d, const char *kernel, struct origin *o);

#endif
