// SPDX-License-Identifier: GPL-2.0-only
/* The rank test against tabled values, and verdicts on the samples of traps.md and the design.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../report/ranktest.h"
#include "../../report/verdict.h"

static void rank_test(void **state)
{
	struct rank_null null = { 0 };
	const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 6, 7, 8, 9, 10 }, z[] = { 2, 2, 4, 6, 6 };

	(void)state;
	/* Separated: 2 of the 252 ways to choose 5 of 10. */
	assert_float_equal(ranktest_p(&null, x, 5, y, 5), 2.0 / 252, 1e-12);
	assert_float_equal(ranktest_least_p(5, 5), 2.0 / 252, 1e-12);
	assert_float_equal(ranktest_p(&null, x, 5, x, 5), 1, 1e-12);
	/* With ties, against an enumeration of the 252: 118 are as far from the centre. */
	assert_float_equal(ranktest_p(&null, x, 5, z, 5), 118.0 / 252, 1e-12);
	assert_float_equal(ranktest_p(&null, x, 1, y, 1), 1, 1e-12);
	assert_int_equal(ranktest_boots(0.02), 5);
	assert_int_equal(ranktest_boots(0.02 / 12), 7);
	assert_int_equal(ranktest_boots(1), 1);
	rank_null_free(&null);
}

static void approximation_joins(void **state)
{
	struct rank_null null = { 0 };
	double x[33], y[33];
	double exact, normal;

	(void)state;
	for (int i = 0; i < 33; i++) {
		x[i] = i;
		y[i] = i + 6.5;
	}
	exact = ranktest_p(&null, x, 32, y, 32);
	normal = ranktest_p(&null, x, 33, y, 33);
	assert_true(exact > 0.01 && exact < 0.1);
	assert_true(fabs(exact - normal) < 0.01);
	rank_null_free(&null);
}

static void visible_shift(void **state)
{
	struct rank_null null = { 0 };
	const double x[] = { 0, 1, 2, 3, 4 }, y[] = { 10, 11, 12, 13, 14 };

	(void)state;
	/* Centred they are equal; a shift of just over 4 parts them. */
	assert_float_equal(ranktest_visible(&null, x, 5, y, 5, 0.008), 4, 1e-6);
	assert_true(isnan(ranktest_visible(&null, x, 5, y, 5, 0.001)));
	rank_null_free(&null);
}

static struct verdict_row row_of(const double *base, unsigned int bases, const double *new,
				 unsigned int news)
{
	return (struct verdict_row){ .base = base,
				     .bases = bases,
				     .new = new,
				     .news = news,
				     .direction = -1,
				     .wobble = NAN,
				     .gates = true };
}

static struct verdict_row judged(const double *base, unsigned int bases, const double *new,
				 unsigned int news, bool exact, double wobble)
{
	struct rank_null null = { 0 };
	const struct verdict_rules rules = { .null = &null,
					     .exact = exact,
					     .threshold = exact ? 0.005 : 0.02,
					     .alpha = 0.02,
					     .gates = 1,
					     .seed = 1 };
	struct verdict_row row = row_of(base, bases, new, news), *rows = &row;

	row.wobble = wobble;
	assert_int_equal(verdict_test(&row, &rules), 0);
	verdict_decide(&rows, 1, &rules);
	rank_null_free(&null);
	return row;
}

static void real_time(void **state)
{
	const double a[] = { 100, 115, 92, 108, 85 }, b[] = { 112, 95, 118, 101, 99 };
	const double c[] = { 100, 101, 99, 100, 100 }, d[] = { 120, 121, 119, 120, 120 };
	const double small[] = { 101, 102, 100, 101, 101.5 };
	struct verdict_row row = judged(a, 5, b, 5, false, NAN);

	(void)state;
	assert_int_equal(row.verdict, VERDICT_SAME);
	assert_true(row.visible > 0.1);
	row = judged(c, 5, d, 5, false, NAN);
	assert_int_equal(row.verdict, VERDICT_WORSE);
	assert_float_equal(row.change, 0.2, 1e-12);
	assert_true(row.low > 0.18 && row.high < 0.22);
	row = judged(d, 5, c, 5, false, NAN);
	assert_int_equal(row.verdict, VERDICT_BETTER);
	/* Below the threshold of 2 %, however certain. */
	row = judged(c, 5, small, 5, false, NAN);
	assert_int_equal(row.verdict, VERDICT_SAME);
	row = judged(c, 1, d, 1, false, NAN);
	assert_int_equal(row.verdict, VERDICT_CANNOT_SAY);
	assert_int_equal(row.boots_needed, 5);
	assert_true(isnan(row.visible));
}

/* The ranks part what is 0.01 % apart; less than the threshold would not count all the same. */
static void below_the_threshold(void **state)
{
	double a[40], b[40];

	(void)state;
	for (int i = 0; i < 40; i++) {
		a[i] = 1000 + i * 1e-3;
		b[i] = 1000.1 + i * 1e-3;
	}
	/* By ranks, and by the normal interval of many boots. */
	assert_float_equal(judged(a, 5, b, 5, false, NAN).visible, 0.02, 1e-12);
	assert_float_equal(judged(a, 40, b, 40, false, NAN).visible, 0.02, 1e-12);
}

static void below_zero(void **state)
{
	const double a[] = { -100, -101, -99, -100, -100 };
	const double b[] = { -80, -81, -79, -80, -80 };
	struct verdict_row row = judged(a, 5, b, 5, false, NAN);

	(void)state;
	assert_float_equal(row.change, 0.2, 1e-12);
	assert_true(row.low > 0.18 && row.low <= row.change);
	assert_true(row.high < 0.22 && row.high >= row.change);
}

static void virtual_time(void **state)
{
	const double a[] = { 1000, 1001, 999 }, b[] = { 1010, 1011, 1009 };
	const double loud[] = { 900, 1100, 1030 };
	struct verdict_row row = judged(a, 3, b, 3, true, 0.005);

	(void)state;
	assert_int_equal(row.verdict, VERDICT_WORSE);
	assert_float_equal(row.change, 0.01, 1e-12);
	/* Three boots whose wobble is not known could agree by luck. */
	row = judged(a, 3, b, 3, true, NAN);
	assert_int_equal(row.verdict, VERDICT_CANNOT_SAY);
	assert_int_equal(row.boots_needed, 7);
	row = judged(a, 3, b, 3, true, 0.02);
	assert_int_equal(row.verdict, VERDICT_SAME);
	row = judged(a, 3, loud, 3, true, 0.005);
	assert_int_equal(row.verdict, VERDICT_SAME);
	/* No noise at all: what is beyond the threshold counts, what is not does not. */
	row = judged((double[]){ 5, 5 }, 2, (double[]){ 6, 6 }, 2, true, 0.01);
	assert_int_equal(row.verdict, VERDICT_WORSE);
	row = judged((double[]){ 1000, 1000 }, 2, (double[]){ 1004, 1004 }, 2, true, 0.001);
	assert_int_equal(row.verdict, VERDICT_SAME);
	/* One boot: against what perturbation is known to do. */
	row = judged(a, 1, b, 1, true, NAN);
	assert_int_equal(row.verdict, VERDICT_CANNOT_SAY);
	row = judged(a, 1, b, 1, true, 0.007);
	assert_int_equal(row.verdict, VERDICT_WORSE);
	assert_true(isnan(row.p) && isnan(row.adjusted));
	row = judged(a, 1, b, 1, true, 0.02);
	assert_int_equal(row.verdict, VERDICT_SAME);
	row = judged(a, 1, a, 1, true, NAN);
	assert_int_equal(row.verdict, VERDICT_SAME);
}

static void from_nothing(void **state)
{
	const double none[] = { 0, 0, 0, 0, 0 }, some[] = { 5, 5, 5, 5, 5 };
	struct verdict_row row = judged(none, 5, some, 5, false, NAN);

	(void)state;
	assert_int_equal(row.verdict, VERDICT_WORSE);
	assert_false(row.relative);
	assert_false(row.interval);
	row = judged(none, 5, none, 5, false, NAN);
	assert_int_equal(row.verdict, VERDICT_SAME);
}

/* Holm: 0.004, 0.015 and 0.9 of three rows become 0.012, 0.03 and 0.9. */
static void correction(void **state)
{
	const struct verdict_rules rules = { .threshold = 0, .alpha = 0.02, .gates = 3 };
	struct verdict_row row[3], *rows[3];
	const double p[] = { 0.015, 0.9, 0.004 }, five[5] = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		row[i] = row_of(five, 5, five, 5);
		row[i].p = p[i];
		row[i].relative = true;
		row[i].change = 1;
		row[i].new_mean = 1;
		rows[i] = &row[i];
	}
	verdict_decide(rows, 3, &rules);
	assert_float_equal(row[0].adjusted, 0.03, 1e-12);
	assert_float_equal(row[1].adjusted, 0.9, 1e-12);
	assert_float_equal(row[2].adjusted, 0.012, 1e-12);
	/* Five boots cannot reach 0.02 / 3. */
	assert_int_equal(row[2].verdict, VERDICT_CANNOT_SAY);
	assert_int_equal(row[2].boots_needed, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rank_test),	 cmocka_unit_test(approximation_joins),
		cmocka_unit_test(visible_shift), cmocka_unit_test(real_time),
		cmocka_unit_test(virtual_time),	 cmocka_unit_test(from_nothing),
		cmocka_unit_test(correction),	 cmocka_unit_test(below_the_threshold),
		cmocka_unit_test(below_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
