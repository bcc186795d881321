// SPDX-License-Identifier: GPL-2.0-only
/* The names of sweep points, and the arithmetic of the knee. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../report/interval.h"
#include "../../report/knee.h"
#include "../../report/point.h"

static void names(void **state)
{
	struct point p;

	(void)state;
	point_parse("baseline", &p);
	assert_string_equal(p.kernel, "baseline");
	assert_int_equal(p.parameters, 0);
	point_parse("baseline+srcutree.x=100+sysctl.fs.y-z=a", &p);
	assert_string_equal(p.kernel, "baseline");
	assert_int_equal(p.parameters, 2);
	assert_string_equal(point_value(&p, "srcutree.x"), "100");
	assert_string_equal(point_value(&p, "sysctl.fs.y-z"), "a");
	assert_null(point_value(&p, "x"));
	/* A file of Debian's, whose name has a plus of its own. */
	point_parse("vmlinuz-6.1.0+deb12-1a2b3c4d+m.p=1", &p);
	assert_string_equal(p.kernel, "vmlinuz-6.1.0+deb12-1a2b3c4d");
	assert_int_equal(p.parameters, 1);
	assert_string_equal(point_value(&p, "m.p"), "1");
}

static struct dataset plan_of(struct cell *cells, const char *const *kernels, unsigned int n)
{
	memset(cells, 0, n * sizeof(*cells));
	for (unsigned int i = 0; i < n; i++)
		cells[i].kernel = kernels[i];
	return (struct dataset){ .dir = "run", .cell = cells, .cells = n };
}

static void curves(void **state)
{
	static const char *const kernels[] = { "base+a.x=1000+b.y=1", "base+a.x=9+b.y=1",
					       "base+a.x=100+b.y=1", "base+a.x=9+b.y=2",
					       "other+a.x=9+b.y=1" };
	struct cell cells[5];
	struct dataset d = plan_of(cells, kernels, 5);
	struct sweep_curve *found;

	(void)state;
	/* By value and not by text, and only where three points share all the rest. */
	assert_int_equal(sweep_curves(&d, &found), 1);
	assert_string_equal(found[0].axis, "a.x");
	assert_string_equal(found[0].others, "base+b.y=1");
	assert_int_equal(found[0].points, 3);
	assert_float_equal(found[0].value[0], 9, 0);
	assert_string_equal(found[0].kernel[2], kernels[0]);
	free(found);
}

static void points_in_a_curve(void **state)
{
	static char name[CURVE_POINTS + 1][32];
	static struct cell cells[CURVE_POINTS + 1];
	const char *kernels[CURVE_POINTS + 1];
	struct sweep_curve *found;
	struct dataset d;

	(void)state;
	for (unsigned int i = 0; i <= CURVE_POINTS; i++) {
		snprintf(name[i], sizeof(name[i]), "k+a.x=%u", i);
		kernels[i] = name[i];
	}
	d = plan_of(cells, kernels, CURVE_POINTS);
	assert_int_equal(sweep_curves(&d, &found), 1);
	assert_int_equal(found[0].points, CURVE_POINTS);
	free(found);
	/* One more is an error, not a curve without it. */
	d = plan_of(cells, kernels, CURVE_POINTS + 1);
	assert_int_equal(sweep_curves(&d, &found), -E2BIG);
	free(found);
}

static void tied_parameters(void **state)
{
	static const char *const kernels[] = { "k+a.x=1+a.y=1", "k+a.x=2+a.y=2",
					       "k+a.x=3+a.y=3" };
	struct cell cells[3];
	struct dataset d = plan_of(cells, kernels, 3);
	struct sweep_curve *found;

	(void)state;
	assert_int_equal(sweep_curves(&d, &found), 1);
	assert_string_equal(found[0].axis, "a.x,a.y");
	assert_string_equal(found[0].others, "k");
	free(found);
}

static struct knee_point boots(double a, double b, double c)
{
	return (struct knee_point){ .boots = 3,
				    .known = { true, true, true },
				    .figure = { a, b, c } };
}

static void knee(void **state)
{
	struct knee_point p[] = { boots(30, 33, 36), boots(10.4, 11.44, 12.48),
				  boots(10.2, 11.22, 12.24), boots(10, 11, 12) };

	(void)state;
	/* Boots differ by 20 %, their costs do not: 200, 4, 2 and 0 %. */
	knee_costs(p, 4, true);
	assert_float_equal(p[0].cost, 2, 1e-9);
	assert_float_equal(p[1].cost, 0.04, 1e-9);
	assert_true(p[1].interval);
	assert_float_equal(p[1].low, 0.04, 1e-9);
	assert_int_equal(knee_find(p, 4), 1);
	/* One above the limit in between moves the knee behind it. */
	p[2] = boots(10.6, 11.66, 12.72);
	knee_costs(p, 4, true);
	assert_int_equal(knee_find(p, 4), 3);
}

static void interval(void **state)
{
	struct knee_point p[] = { boots(10.1, 10.2, 10.3), boots(10, 10, 10) };

	(void)state;
	/* Costs 1, 2, 3 %: s = 1 %, t(0.975, 2) = 4.302653, half = 4.302653 / sqrt(3) % */
	knee_costs(p, 2, true);
	assert_float_equal(p[0].cost, 0.02, 1e-9);
	assert_float_equal(p[0].high - p[0].cost, 0.04302653 / sqrt(3), 1e-7);
	/* Rates: half the rate costs 100 %. */
	p[0] = boots(5, 5, 5);
	knee_costs(p, 2, false);
	assert_float_equal(p[0].cost, 1, 1e-9);
	/* A boot missing on one side is no pair. */
	p[0].known[1] = false;
	knee_costs(p, 2, true);
	assert_int_equal(p[0].pairs, 2);
	p[0].known[0] = p[0].known[2] = false;
	knee_costs(p, 2, true);
	assert_int_equal(p[0].pairs, 0);
	assert_int_equal(knee_find(p, 2), 1);
}

/* Student's t for two degrees of freedom at 97.5 % is 4.302653 (any table). */
static void mean(void **state)
{
	struct sb_stats samples = SB_STATS_INIT;
	double half = 1;

	(void)state;
	assert_false(interval_half(&samples, &half));
	sb_stats_add(&samples, 1);
	assert_false(interval_half(&samples, &half));
	assert_true(half == 0);
	sb_stats_add(&samples, 2);
	sb_stats_add(&samples, 3);
	assert_true(interval_half(&samples, &half));
	assert_float_equal(half, 4.302653 / sqrt(3), 1e-5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(curves),
		cmocka_unit_test(points_in_a_curve),
		cmocka_unit_test(tied_parameters),
		cmocka_unit_test(knee),
		cmocka_unit_test(mean),
		cmocka_unit_test(interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
