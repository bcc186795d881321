/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of a sweep: a figure against a boot parameter, and the setting that is enough. */
#ifndef REPORT_SWEEP_H
#define REPORT_SWEEP_H

#include <stdio.h>

#include "dataset.h"

#define SWEEP_HEADER                                                             \
	"kernel,bench,phase,metric,statistic,unit,parameter,value,boots,figure," \
	"cost_percent,low_percent,high_percent,published,knee"

/* Boxed tables of all curves of the run, and sweep.csv; nothing when it has none. 0 or -errno.
 */
int sweep_tables(const struct dataset *d, FILE *out);

/*
 * The curves of a benchmark as blocks for gnuplot, each divided by its plateau, the published
 * one beside: block begins one, point adds to it, both are handed @picture. Returns 0 or
 * -errno after a message.
 */
int sweep_plot(const struct dataset *d, const char *bench,
	       void (*block)(void *picture, const char *title),
	       void (*point)(void *picture, double x, double y), void *picture);

#endif
