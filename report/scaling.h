/* SPDX-License-Identifier: GPL-2.0-only */
/* Scaling runs: phases named "unused/100000", taken apart into a phase and its N. */
#ifndef REPORT_SCALING_H
#define REPORT_SCALING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dataset.h"
#include "primary.h"

/* One curve: a kernel's phase over its N. */
struct scaling_curve {
	const char *kernel, *bench;
	char phase[64]; /* without N */
};

/* Splits "unused/100000"; false when the label has no N. */
bool scaling_split(const char *label, char phase[64], uint64_t *n);

/*
 * The curves of the run, each once, in order of appearance. *curves is to be freed.
 * Returns their number, or -ENOMEM after a message.
 */
int scaling_curves(const struct dataset *d, struct scaling_curve **curves);

/* The primary pairs of a benchmark whose statistic is a maximum; at most max of them. */
unsigned int scaling_columns(const struct dataset *d, const char *bench,
			     struct primary *columns, unsigned int max);

/* The group of a curve at N for a metric, or NULL. */
const struct group *scaling_at(const struct dataset *d, const struct scaling_curve *curve,
			       uint64_t n, const char *metric);

/* The N of a curve in ascending order, at most max; returns how many. */
unsigned int scaling_points(const struct dataset *d, const struct scaling_curve *curve,
			    uint64_t *n, unsigned int max);

/* The tables of all curves; nothing when the run has none. Returns 0 or -errno. */
int scaling_tables(const struct dataset *d, FILE *out);

#endif
