/* SPDX-License-Identifier: GPL-2.0-only */
/* The files about a guest, beside those the guest itself sent. */
#ifndef GUEST_REPORT_H
#define GUEST_REPORT_H

#include <stdint.h>

#include "supervise.h"

struct report_id {
	const char *kernel; /* as results.csv names it */
	uint64_t boot;
};

/* KEY=VALUE, or KEY=FILE whose sha256 becomes the value. */
struct report_fact {
	const char *text;
	bool hash;
};

/* All write into the folder @dir and return 0 or -errno after a message. */

/* The status file, replaced in one step: it is always there and always one whole word. */
int report_status(const char *dir, enum guest_status status);
/* verdict.txt: the status word and, but for a pass, why; one line for people. */
int report_verdict(const char *dir, const struct guest *g);
/* guest-env.csv: what "the same" means for this guest. */
int report_facts(const char *dir, const struct report_fact *facts, size_t count);
/* boot.csv: kernel_to_init in us and the count of "hogged CPU" lines, as rows of results.csv.
 */
int report_boot(const char *dir, const struct report_id *id, const struct guest *g);
/* timing.csv: host wall time of each step that was reached, in seconds. */
int report_timing(const char *dir, const struct guest *g);

/* The last @lines lines of a file to stderr, with what is not printable made visible. */
void report_tail(const char *dir, const char *name, unsigned int lines);

#endif
