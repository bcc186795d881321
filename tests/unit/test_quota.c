// SPDX-License-Identifier: GPL-2.0-only
/* How many keys fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../keygcbench/quota.h"

#define KEY_USERS                                      \
	"    0:    10 9/8 4/1000000 786477/25000000\n" \
	" 1000:     2 1/1 2/200 17/20000\n"            \
	"10000:   200 0/0 0/200 0/20000\n"

static void a_row_is_found_by_its_whole_uid(void **state)
{
	struct quota q;

	(void)state;
	assert_true(quota_parse(&q, KEY_USERS, 1000));
	assert_int_equal(q.nkeys, 1);
	assert_int_equal(q.keys, 2);
	assert_int_equal(q.max_keys, 200);
	assert_int_equal(q.bytes, 17);
	assert_int_equal(q.max_bytes, 20000);
	assert_true(quota_parse(&q, KEY_USERS, 0));
	assert_int_equal(q.bytes, 786477);
	assert_false(quota_parse(&q, KEY_USERS, 100));
	assert_false(quota_parse(&q, "", 0));
}

static void the_need_by_hand(void **state)
{
	const struct quota_plan plan = { .keyrings = 3, .payload = 8 };
	struct quota_need need = quota_need(&plan, 100);

	(void)state;
	/* 100 keys, 16 of the probes, 6 that live on, 3 + 2 rings and the holder of them. */
	assert_int_equal(need.keys, 100 + 16 + 6 + 3 + 2 + 1);
	/* "k00000042", its end, 8 bytes and a link; a second link of the probes' keys. */
	assert_int_equal(need.bytes, 116 * (9 + 1 + 8 + 4) + 16 * 4 + 6 * (9 + 1 + 1 + 4) +
					     6 * (9 + 1 + 8));
}

static void what_fits_fits_and_one_more_does_not(void **state)
{
	const struct quota_plan plans[] = { { 1, 8 }, { 50, 8 }, { 1, 400 }, { 1, 20000 } };
	const struct quota limits[] = {
		{ .max_keys = 200, .max_bytes = 20000, .keys = 2, .bytes = 17 },
		{ .max_keys = 1000000, .max_bytes = 25000000 },
	};

	(void)state;
	for (size_t l = 0; l < sizeof(limits) / sizeof(limits[0]); l++) {
		for (size_t p = 0; p < sizeof(plans) / sizeof(plans[0]); p++) {
			const struct quota *q = &limits[l];
			uint64_t fit = quota_fit(q, &plans[p]);
			struct quota_need need = quota_need(&plans[p], fit + 1);

			assert_true(q->keys + need.keys > q->max_keys ||
				    q->bytes + need.bytes > q->max_bytes);
			if (!fit)
				continue;
			need = quota_need(&plans[p], fit);
			assert_true(q->keys + need.keys <= q->max_keys);
			assert_true(q->bytes + need.bytes <= q->max_bytes);
		}
	}
}

static void the_limit_that_binds_is_named(void **state)
{
	const struct quota q = { .max_keys = 200, .max_bytes = 20000 };
	const struct quota_plan small = { 1, 8 }, large = { 1, 5000 };
	struct quota_need need = quota_need(&small, 1000);

	(void)state;
	assert_true(quota_binds_on_keys(&q, &need));
	need = quota_need(&large, 10);
	assert_false(quota_binds_on_keys(&q, &need));
}

static void nothing_fits_a_used_up_quota(void **state)
{
	const struct quota q = { .max_keys = 200, .max_bytes = 20000, .keys = 200 };
	const struct quota_plan plan = { 1, 8 };

	(void)state;
	assert_int_equal(quota_fit(&q, &plan), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_is_found_by_its_whole_uid),
		cmocka_unit_test(the_need_by_hand),
		cmocka_unit_test(what_fits_fits_and_one_more_does_not),
		cmocka_unit_test(the_limit_that_binds_is_named),
		cmocka_unit_test(nothing_fits_a_used_up_quota),
	};

	return cmocka_run_group_tests_name("quota", tests, NULL, NULL);
}
