// SPDX-License-Identifier: GPL-2.0-only
/* The histogram's promises: bounded width, exact counts, merging, quantiles that know when to
 * speak. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

#include <cmocka.h>

#include "../../core/hist.h"

static int narrow(const struct sb_hist_bucket *b, void *data)
{
	const double *value = data;

	assert_true(b->low <= *value && *value < b->high);
	assert_true((b->high - b->low) / fabs(b->low) <= 0.01);
	return 0;
}

static void buckets_are_narrow_and_hold_their_value(void **state)
{
	(void)state;
	for (double value = 1e-6; value < 1e15; value *= 1.037) {
		struct sb_hist h = { 0 };

		assert_int_equal(sb_hist_add(&h, value, 1), 0);
		assert_int_equal(sb_hist_each(&h, narrow, &value), 0);
		sb_hist_free(&h);
	}
}

static int ascending(const struct sb_hist_bucket *b, void *data)
{
	double *last = data;

	assert_true(b->low >= *last);
	*last = b->low;
	return 0;
}

static void negative_zero_and_positive_come_in_order(void **state)
{
	struct sb_hist h = { 0 };
	double last = -INFINITY;

	(void)state;
	for (int i = -50; i <= 50; i++)
		assert_int_equal(sb_hist_add(&h, i * 3.3, 1), 0);
	assert_int_equal(sb_hist_each(&h, ascending, &last), 0);
	assert_int_equal(h.n, 101);
	assert_true(sb_hist_quantile(&h, 0.5) == 0);
	assert_float_equal(sb_hist_quantile(&h, 0.000001), -165, 1);
	sb_hist_free(&h);
}

static void quantiles_are_near_the_sample(void **state)
{
	struct sb_hist h = { 0 };
	static const double at[] = { 0.5, 0.9, 0.99, 0.999, 1 };

	(void)state;
	for (int i = 1; i <= 10000; i++)
		assert_int_equal(sb_hist_add(&h, i, 1), 0);
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		double exact = ceil(at[i] * 10000);

		assert_true(fabs(sb_hist_quantile(&h, at[i]) - exact) / exact <= 0.004);
	}
	sb_hist_free(&h);
}

static void merging_keeps_every_count(void **state)
{
	struct sb_hist a = { 0 }, b = { 0 }, all = { 0 };

	(void)state;
	for (int i = 0; i < 5000; i++) {
		double value = (i * 7919) % 100003 - 500;

		assert_int_equal(sb_hist_add(i % 3 ? &a : &b, value, 1), 0);
		assert_int_equal(sb_hist_add(&all, value, 1), 0);
	}
	assert_int_equal(sb_hist_merge(&a, &b), 0);
	assert_int_equal(a.n, all.n);
	for (double q = 0.01; q <= 1; q += 0.01)
		assert_true(sb_hist_quantile(&a, q) == sb_hist_quantile(&all, q));
	sb_hist_free(&a);
	sb_hist_free(&b);
	sb_hist_free(&all);
}

static void extremes_do_not_leave_the_table(void **state)
{
	struct sb_hist h = { 0 };

	(void)state;
	assert_int_equal(sb_hist_add(&h, 5e-324, 1), 0);
	assert_int_equal(sb_hist_add(&h, 1.7e308, 1), 0);
	assert_int_equal(sb_hist_add(&h, -1.7e308, 2), 0);
	assert_int_equal(h.n, 4);
	sb_hist_free(&h);
}

static void few_samples_do_not_speak_of_tails(void **state)
{
	(void)state;
	assert_false(sb_hist_speaks(9, 0.9));
	assert_true(sb_hist_speaks(10, 0.9));
	assert_false(sb_hist_speaks(99, 0.99));
	assert_true(sb_hist_speaks(100, 0.99));
	assert_false(sb_hist_speaks(999, 0.999));
	assert_true(sb_hist_speaks(1000, 0.999));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_are_narrow_and_hold_their_value),
		cmocka_unit_test(negative_zero_and_positive_come_in_order),
		cmocka_unit_test(quantiles_are_near_the_sample),
		cmocka_unit_test(merging_keeps_every_count),
		cmocka_unit_test(extremes_do_not_leave_the_table),
		cmocka_unit_test(few_samples_do_not_speak_of_tails),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
