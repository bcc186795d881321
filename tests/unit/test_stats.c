// SPDX-License-Identifier: GPL-2.0-only
/* Streaming statistics against exact values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../core/stats.h"

static struct sb_stats of(const double *values, size_t n)
{
	struct sb_stats s = SB_STATS_INIT;

	for (size_t i = 0; i < n; i++)
		sb_stats_add(&s, values[i]);
	return s;
}

static void exactly(const struct sb_stats *s, uint64_t n, double min, double avg, double max,
		    double var)
{
	assert_int_equal(s->n, n);
	assert_true(s->min == min);
	assert_true(sb_stats_avg(s) == avg);
	assert_true(s->max == max);
	assert_true(sb_stats_var(s) == var);
}

static void one_sample_is_all_there_is(void **state)
{
	struct sb_stats s = of((double[]){ 42.5 }, 1);

	(void)state;
	exactly(&s, 1, 42.5, 42.5, 42.5, 0);
}

static void no_sample_stays_none_in_a_merge(void **state)
{
	struct sb_stats none = SB_STATS_INIT, s = of((double[]){ 3, 5 }, 2);

	(void)state;
	sb_stats_merge(&s, &none);
	exactly(&s, 2, 3, 4, 5, 1);
	sb_stats_merge(&none, &s);
	exactly(&none, 2, 3, 4, 5, 1);
}

static void variance_divides_by_n(void **state)
{
	struct sb_stats s = of((double[]){ 2, 4, 4, 4, 5, 5, 7, 9 }, 8);

	(void)state;
	exactly(&s, 8, 2, 5, 9, 4);
}

static void large_values_do_not_overflow(void **state)
{
	struct sb_stats s = of((double[]){ 3e9, 3e9, 3e9, 3e9, 5e9, 5e9, 5e9, 5e9 }, 8);

	(void)state;
	exactly(&s, 8, 3e9, 4e9, 5e9, 1e18);
}

static void small_differences_survive_large_values(void **state)
{
	struct sb_stats s = SB_STATS_INIT;

	(void)state;
	for (int i = 0; i < 1000000; i++)
		sb_stats_add(&s, i % 2 ? 1e12 + 1 : 1e12 - 1);
	assert_true(sb_stats_avg(&s) == 1e12);
	assert_true(sb_stats_var(&s) > 1 - 1e-9 && sb_stats_var(&s) < 1 + 1e-9);
}

static void very_large_values(void **state)
{
	/* Neighbours in double at 1.7e18 are 256 apart. */
	struct sb_stats s = of((double[]){ 1.7e18 - 256, 1.7e18 + 256 }, 2);

	(void)state;
	exactly(&s, 2, 1.7e18 - 256, 1.7e18, 1.7e18 + 256, 65536);
}

static void negative_values(void **state)
{
	struct sb_stats s = of((double[]){ -3, -1, 1, 3 }, 4);

	(void)state;
	exactly(&s, 4, -3, 0, 3, 5);
}

static void merging_equals_adding(void **state)
{
	double values[1000];
	struct sb_stats all, a, b;

	(void)state;
	for (int i = 0; i < 1000; i++)
		values[i] = 1e9 + (i * 7919) % 1000;
	all = of(values, 1000);
	a = of(values, 137);
	b = of(values + 137, 863);
	sb_stats_merge(&a, &b);
	assert_int_equal(a.n, 1000);
	assert_true(a.min == all.min && a.max == all.max);
	assert_float_equal(sb_stats_avg(&a), sb_stats_avg(&all), 1e-6);
	assert_float_equal(sb_stats_var(&a), sb_stats_var(&all), 1e-3);
}

static void a_row_of_csv_gives_the_same_back(void **state)
{
	struct sb_stats s = sb_stats_from(7, 1, 56.6, 344, 12000);

	(void)state;
	exactly(&s, 7, 1, 56.6, 344, 12000);
	assert_float_equal(sb_stats_total(&s), 396.2, 1e-9);
	s = sb_stats_from(0, 1, 2, 3, 4);
	assert_int_equal(s.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_sample_is_all_there_is),
		cmocka_unit_test(no_sample_stays_none_in_a_merge),
		cmocka_unit_test(variance_divides_by_n),
		cmocka_unit_test(large_values_do_not_overflow),
		cmocka_unit_test(small_differences_survive_large_values),
		cmocka_unit_test(very_large_values),
		cmocka_unit_test(negative_values),
		cmocka_unit_test(merging_equals_adding),
		cmocka_unit_test(a_row_of_csv_gives_the_same_back),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
