/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of kernels as sweep points, NAME+PARAM=VALUE+..., taken apart; and the axes of a run.
 */
#ifndef REPORT_POINT_H
#define REPORT_POINT_H

#include <stdbool.h>

#include "dataset.h"

#define POINT_PARAMETERS 8

struct point {
	char kernel[96]; /* NAME */
	unsigned int parameters;
	struct {
		char name[64], value[32];
	} parameter[POINT_PARAMETERS];
};

/* Parameters beyond POINT_PARAMETERS stay part of the kernel's name. */
void point_parse(const char *name, struct point *p);

/* The value of a parameter, or NULL when the point has none. */
const char *point_value(const struct point *p, const char *parameter);

#define CURVE_POINTS 256

/* The points of a run that differ in one parameter alone, in ascending order of its value. */
struct sweep_curve {
	char axis[192];	  /* the parameter, or several that move together, joined by commas */
	char others[192]; /* what all points share: NAME and the other parameters */
	unsigned int points;
	double value[CURVE_POINTS];
	const char *kernel[CURVE_POINTS];
};

/*
 * The curves of at least three points, each once. Parameters that have equal values in every
 * kernel of the run are one axis. *curves is to be freed in any case.
 * Returns their number, or after a message -ENOMEM, or -E2BIG: a curve has more than
 * CURVE_POINTS points.
 */
int sweep_curves(const struct dataset *d, struct sweep_curve **curves);

#endif
