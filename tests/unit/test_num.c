// SPDX-License-Identifier: GPL-2.0-only
/* Numbers to text and back. */
#include <errno.h>
#include <float.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../core/num.h"

static void text_reads_back_as_the_same_double(void **state)
{
	static const double values[] = { 0.1,	       1.0 / 3, 1e-9,	   123456.789,
					 2147483648.0, 1e18,	1.7e18,	   DBL_MAX,
					 DBL_MIN,      -2.5,	1e15 + 0.5 };
	char buf[SB_NUM_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_true(strtod(sb_num(buf, values[i]), NULL) == values[i]);
}

static void short_and_without_exponent(void **state)
{
	char buf[SB_NUM_LEN];

	(void)state;
	assert_string_equal(sb_num(buf, 0.1), "0.1");
	assert_string_equal(sb_num(buf, 1000000), "1000000");
	assert_string_equal(sb_num(buf, 1234567890123), "1234567890123");
	assert_string_equal(sb_num(buf, 32.737), "32.737");
	assert_string_equal(sb_num(buf, -0.0), "0");
}

static void grouping(void **state)
{
	char buf[SB_NUM_LEN];

	(void)state;
	assert_string_equal(sb_num_grouped(buf, 0), "0");
	assert_string_equal(sb_num_grouped(buf, 999), "999");
	assert_string_equal(sb_num_grouped(buf, 1000), "1,000");
	assert_string_equal(sb_num_grouped(buf, UINT64_MAX), "18,446,744,073,709,551,615");
}

static void whole_numbers(void **state)
{
	static const char *const bad[] = { "",	  " 1", "-1", "+1",  "1 ",  "0x10", "1.0",
					   "1e3", "k",	"1K", "1kk", "nan", "1,2",  "12x" };
	uint64_t value;

	(void)state;
	assert_int_equal(sb_parse_u64("0", &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(sb_parse_u64("18446744073709551615", &value), 0);
	assert_true(value == UINT64_MAX);
	assert_int_equal(sb_parse_u64("200k", &value), 0);
	assert_int_equal(value, 200000);
	assert_int_equal(sb_parse_u64("18446744073709551616", &value), -ERANGE);
	assert_int_equal(sb_parse_u64("99999999999G", &value), -ERANGE);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(sb_parse_u64(bad[i], &value), -EINVAL);
}

static void decimals(void **state)
{
	static const char *const bad[] = { "",	 "nan",	 "inf", "-inf", "0x1p3", " 1",
					   "1 ", "1..2", "e5",	"1,5",	"--1" };
	double value;

	(void)state;
	assert_int_equal(sb_parse_double("1.5e3", &value), 0);
	assert_true(value == 1500);
	assert_int_equal(sb_parse_double("-0.25", &value), 0);
	assert_true(value == -0.25);
	assert_int_equal(sb_parse_double("1e999", &value), -ERANGE);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(sb_parse_double(bad[i], &value), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_reads_back_as_the_same_double),
		cmocka_unit_test(short_and_without_exponent),
		cmocka_unit_test(grouping),
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(decimals),
	};

	return cmocka_run_group_tests_name("num", tests, NULL, NULL);
}
