/* SPDX-License-Identifier: GPL-2.0-only */
/* What a setting costs against the plateau of a sweep, and from where on it costs little. */
#ifndef REPORT_KNEE_H
#define REPORT_KNEE_H

#include <stdbool.h>

#define KNEE_BOOTS 64	 /* that are looked at */
#define KNEE_WITHIN 0.05 /* of the plateau */

/* One setting: its figure in each boot, boots in the same order for all settings. */
struct knee_point {
	unsigned int boots;
	bool known[KNEE_BOOTS];
	double figure[KNEE_BOOTS];

	/* Filled in by knee_costs(): cost against the plateau as a share, 0.05 = 5 % worse. */
	unsigned int pairs; /* boots that have a figure here and at the plateau; 0: no cost */
	double cost;
	bool interval; /* from two pairs on: the 95 % confidence interval of the mean */
	double low, high;
};

/* What a figure costs against another as a share, both above 0. @lower: lower is better. */
double knee_cost(double here, double there, bool lower);

/*
 * The last point is the plateau. Costs are taken boot by boot and averaged, so what boots have
 * in common cancels; the interval is Student's t over the boots. @lower: lower figures are
 * better.
 */
void knee_costs(struct knee_point *points, unsigned int count, bool lower);

/*
 * The first point from which on every point costs at most KNEE_WITHIN; the last one costs 0 and
 * always does. Points whose cost is unknown end the search. Returns its index.
 */
unsigned int knee_find(const struct knee_point *points, unsigned int count);

#endif
