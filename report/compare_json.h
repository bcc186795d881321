/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REPORT_COMPARE_JSON_H
#define REPORT_COMPARE_JSON_H

#include "compare.h"

/* The report as one JSON object. What has no value is null. Returns 0 or -errno after a
 * message. */
int compare_print_json(const struct comparison *c, const struct compare_options *options,
		       FILE *out);

#endif
