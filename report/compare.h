/* SPDX-License-Identifier: GPL-2.0-only */
/* Two sides matched row by row, each row with its verdict. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "side.h"
#include "verdict.h"

/* Exit statuses of a comparison (docs/exit-status.md). */
enum {
	COMPARE_OK = 0,
	COMPARE_REGRESSION = 1,
	COMPARE_BAD_INPUT = 2,
	COMPARE_CANNOT_SAY = 3,
	COMPARE_NOT_COMPARABLE = 4,
};

struct compare_options {
	const char *base, *new; /* paths; new is NULL: the kernels of one run */
	const char *format;	/* text, markdown, csv, json */
	double threshold;	/* a share; NAN: by clock */
	double alpha;
	bool allow_missing;
	const char *allow; /* facts that may differ, joined by commas; "all" for any */
};

enum compare_statistic {
	COMPARE_AVG,
	COMPARE_MAX,
	COMPARE_P99,
	COMPARE_TOTAL,
	COMPARE_STATISTICS
};

struct compare_row {
	uint32_t base_kernel, new_kernel, bench, phase, metric, unit;
	enum compare_statistic statistic;
	bool identical; /* to the byte, boot by boot */
	struct verdict_row v;
};

/* What stands in the way of a comparison, or is worth knowing: one line each. */
struct compare_note {
	char *text;
	struct compare_note *next;
};

struct comparison {
	struct names names;
	struct side base, new; /* new is unused when one run is compared with itself */
	const struct side *other;
	struct compare_row *row;
	uint32_t rows, room, pairs;
	double *figures; /* of all rows, one after the other */
	uint64_t figure_count, figure_room;
	struct rank_null null;
	struct verdict_rules rules;
	struct compare_note *missing, *obstacles, *differences;
};

/*
 * Reads both sides, matches and judges. Returns 0, or -errno after a message for input that
 * cannot be compared at all. To be freed in any case.
 */
int compare_run(struct comparison *c, const struct compare_options *options);
void compare_free(struct comparison *c);

/* The exit status of what was found, as the options want it judged. */
int compare_status(const struct comparison *c, const struct compare_options *options);

/* Prints the report. Returns 0 or -errno after a message. */
int compare_print(const struct comparison *c, const struct compare_options *options, FILE *out);

/* The statistic of one boot, in the row's unit. False when it has none: no samples, no p99. */
bool compare_figure(const struct record *r, enum compare_statistic s, double *value);

const char *compare_statistic_name(enum compare_statistic s);

/* How far a unit of time is from microseconds; 0: no unit of time. */
double compare_unit_factor(const char *unit);

#endif
