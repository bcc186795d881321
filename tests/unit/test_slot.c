// SPDX-License-Identifier: GPL-2.0-only
/* What a change of a memory slot is, and where slots lie. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/kvm.h>

#include "../../srcubench/slot.h"

#define SIZE 540672ULL
#define GIB (1ULL << 30)

static const struct slot absent, here = { 8 * GIB, SIZE, 0 }, there = { 9 * GIB, SIZE, 0 };
static const struct slot logged = { 8 * GIB, SIZE, KVM_MEM_LOG_DIRTY_PAGES };
static const struct slot rom = { 8 * GIB, SIZE, KVM_MEM_READONLY };
static const struct slot rom_there = { 9 * GIB, SIZE, KVM_MEM_READONLY };
static const struct slot larger = { 8 * GIB, 2 * SIZE, 0 };

static void what_a_change_is(void **state)
{
	const struct {
		const struct slot *from, *to;
		enum slot_change change;
	} cases[] = {
		{ &absent, &here, SLOT_CREATE },	{ &absent, &rom, SLOT_CREATE },
		{ &here, &absent, SLOT_DELETE },	{ &rom, &absent, SLOT_DELETE },
		{ &here, &there, SLOT_MOVE },		{ &logged, &there, SLOT_MOVE },
		{ &here, &logged, SLOT_FLAGS },		{ &logged, &here, SLOT_FLAGS },
		{ &here, &here, SLOT_NOTHING },		{ &absent, &absent, SLOT_NOTHING },
		{ &here, &larger, SLOT_IMPOSSIBLE },	{ &here, &rom, SLOT_IMPOSSIBLE },
		{ &here, &rom_there, SLOT_IMPOSSIBLE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(slot_change(cases[i].from, cases[i].to), cases[i].change);
}

static void an_absent_slot_has_no_other_marks(void **state)
{
	const struct slot leftovers = { 8 * GIB, 0, KVM_MEM_READONLY };

	(void)state;
	assert_int_equal(slot_change(&absent, &leftovers), SLOT_NOTHING);
	assert_int_equal(slot_change(&leftovers, &here), SLOT_CREATE);
}

static void the_grace_periods_of_a_change(void **state)
{
	(void)state;
	assert_int_equal(slot_grace_periods(SLOT_CREATE), 1);
	assert_int_equal(slot_grace_periods(SLOT_FLAGS), 1);
	assert_int_equal(slot_grace_periods(SLOT_DELETE), 2);
	assert_int_equal(slot_grace_periods(SLOT_MOVE), 2);
	assert_int_equal(slot_grace_periods(SLOT_NOTHING), 0);
	assert_int_equal(slot_grace_periods(SLOT_IMPOSSIBLE), 0);
}

/* Without a machine every system call fails with EBADF, so that one which is made is noticed.
 */
static void only_real_changes_are_made(void **state)
{
	struct slot_table t;
	struct slot_timing timing;

	(void)state;
	assert_int_equal(slot_table_make(&t, -1, 2, SIZE), 0);
	assert_int_equal(slot_set(&t, 1, &absent, &timing), -EINVAL);
	assert_int_equal(slot_set(&t, 1, &here, &timing), -EBADF);
	/* What failed has changed nothing. */
	assert_int_equal(t.slots[1].size, 0);
	assert_int_equal(t.grace_periods, 0);
	t.slots[1] = here;
	assert_int_equal(slot_set(&t, 1, &here, &timing), -EINVAL);
	assert_int_equal(slot_set(&t, 1, &larger, &timing), -EINVAL);
	slot_table_free(&t);
}

static void places_never_overlap(void **state)
{
	const uint64_t sizes[] = { 4096, SIZE, GIB };

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		uint64_t end = 4 * GIB;

		for (uint64_t i = 0; i < 100; i++) {
			for (unsigned int place = 0; place < 2; place++) {
				assert_true(slot_gpa(i, sizes[s], place) >= end);
				end = slot_gpa(i, sizes[s], place) + sizes[s];
			}
		}
	}
}

static void the_largest_machine_stays_within_52_bits(void **state)
{
	/* KVM_USER_MEM_SLOTS of x86 and the largest --slot-size. */
	uint64_t end = slot_gpa(32764 - 1, GIB, 1) + GIB;

	(void)state;
	assert_true(end <= 1ULL << 52);
}

static void one_slot_is_taken(void **state)
{
	(void)state;
	assert_int_equal(slot_room(32764), 32763);
	assert_int_equal(slot_room(1), 0);
	assert_int_equal(slot_room(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_change_is),
		cmocka_unit_test(an_absent_slot_has_no_other_marks),
		cmocka_unit_test(the_grace_periods_of_a_change),
		cmocka_unit_test(only_real_changes_are_made),
		cmocka_unit_test(places_never_overlap),
		cmocka_unit_test(the_largest_machine_stays_within_52_bits),
		cmocka_unit_test(one_slot_is_taken),
	};

	return cmocka_run_group_tests_name("slot", tests, NULL, NULL);
}
