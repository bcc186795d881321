// SPDX-License-Identifier: GPL-2.0-only
/* dentrybench's arithmetic: names, counts of the kernel, and what fits into memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../dentrybench/dentrybench.h"
#include "../../dentrybench/name.h"
#include "../../dentrybench/room.h"

#define NAMES 5000

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void names_are_unique_and_of_one_length(void **state)
{
	static const uint64_t bases[] = { 0, 999000, DENTRY_NUMBERS - NAMES };
	static char names[3 * NAMES][DENTRY_NAME_LEAST + 1];
	struct dentry_name name;
	unsigned int n = 0;

	(void)state;
	dentry_name_init(&name, 'n', 0x1234abcd, DENTRY_NAME_LEAST);
	for (size_t b = 0; b < sizeof(bases) / sizeof(bases[0]); b++) {
		for (uint64_t i = 0; i < NAMES; i++) {
			dentry_name_set(&name, bases[b] + i);
			assert_int_equal(strlen(name.text), DENTRY_NAME_LEAST);
			assert_null(strchr(name.text, '/'));
			memcpy(names[n++], name.text, DENTRY_NAME_LEAST + 1);
		}
	}
	qsort(names, n, sizeof(names[0]), by_text);
	for (unsigned int i = 1; i < n; i++)
		assert_string_not_equal(names[i - 1], names[i]);
}

static void names_differ_by_kind_and_run(void **state)
{
	struct dentry_name a, b;

	(void)state;
	dentry_name_init(&a, 'n', 1, DENTRY_NAME_MOST);
	dentry_name_init(&b, 't', 1, DENTRY_NAME_MOST);
	assert_int_equal(strlen(a.text), DENTRY_NAME_MOST);
	assert_string_not_equal(a.text, b.text);
	dentry_name_init(&b, 'n', 2, DENTRY_NAME_MOST);
	assert_string_not_equal(a.text, b.text);
	dentry_name_init(&b, 'n', 1, DENTRY_NAME_MOST);
	dentry_name_set(&b, 77);
	dentry_name_set(&b, 0); /* no digit of the number before stays */
	assert_string_equal(a.text, b.text);
}

static void the_fifth_field_counts_negatives_from_5_0_on(void **state)
{
	struct dentry_state s;

	(void)state;
	assert_int_equal(dentry_state_parse(&s, "190257 188837 45 0 14909 0\n", "6.12.117"), 0);
	assert_int_equal(s.dentries, 190257);
	assert_int_equal(s.unused, 188837);
	assert_int_equal(s.negative, 14909);
	assert_true(s.negative_known);
	assert_int_equal(
		dentry_state_parse(&s, "190257\t188837\t45\t0\t14909\t0\n", "5.0.0-rc1"), 0);
	assert_true(s.negative_known);
	assert_int_equal(dentry_state_parse(&s, "190257 188837 45 0 0 0\n", "4.19.300"), 0);
	assert_false(s.negative_known);
	assert_int_equal(dentry_state_parse(&s, "190257 188837 45 0", "6.12"), -EINVAL);
	assert_int_equal(dentry_state_parse(&s, "", "6.12"), -EINVAL);
}

static void slabs_are_counted_with_their_unused_parts(void **state)
{
	static const char line[] =
		"dentry            426644 426720    192   21    1 : tunables    0"
		"    0    0 : slabdata  20320  20321      0\n";
	int64_t bytes = 0;

	(void)state;
	assert_int_equal(dentry_slab_parse(line, "dentry", 4096, &bytes), 0);
	assert_int_equal(bytes, 20321LL * 4096);
	assert_int_equal(dentry_slab_parse(line, "dent", 4096, &bytes), -EINVAL);
	assert_int_equal(dentry_slab_parse("dentry", "dentry", 4096, &bytes), -EINVAL);
}

static void memory_by_hand(void **state)
{
	(void)state;
	/* 21 of 192 bytes to a page: 195.05 each. */
	assert_int_equal(dentry_room_each(20), 196);
	assert_int_equal(dentry_room_each(39), 196);
	/* 16 bytes of header, the name and its end, in kmalloc-64, -96, -192 and -512. */
	assert_int_equal(dentry_room_each(40), 196 + 64);
	assert_int_equal(dentry_room_each(47), 196 + 64);
	assert_int_equal(dentry_room_each(48), 196 + 96);
	assert_int_equal(dentry_room_each(150), 196 + 192);
	assert_int_equal(dentry_room_each(255), 196 + 512);
	/* 1 GiB, of which a fifth is left alone. */
	assert_int_equal(dentry_room_fit(1ULL << 30, 20), 858993460 / 196);
}

static void what_fits_fits_and_one_more_does_not(void **state)
{
	(void)state;
	for (uint64_t d = 1100; d < 1000000000; d = d * 3 / 2) {
		uint64_t names = dentry_names_fitting(d);

		assert_true(dentry_names_needed(names) <= d);
		assert_true(dentry_names_needed(names + 2) > d);
	}
}

/* 126.7 GiB and 48 CPUs: 339,020 was published; 1 GiB: about 2,621 for each unit. */
static void the_limit_as_published(void **state)
{
	uint64_t big = dentry_limit((uint64_t)(126.7 * (1 << 18)), 21, 48, 1);

	(void)state;
	assert_in_range(big, 338900, 339140);
	assert_int_equal(dentry_limit(1 << 18, 21, 1, 1), 2621 + 2621);
	assert_int_equal(dentry_limit(1 << 18, 21, 48, 1), 2621 + 512);
	assert_int_equal(dentry_limit(1 << 18, 21, 48, 0), 0);
}

static void put(const char *root, const char *dir, const char *file, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, dir);
	for (char *c = path + strlen(root); (c = strchr(c + 1, '/'));) {
		*c = '\0';
		mkdir(path, 0700);
		*c = '/';
	}
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s%s/%s", root, dir, file);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void the_least_limit_of_all_parents_holds(void **state)
{
	char root[] = "/tmp/dentryroomXXXXXX", command[64];

	(void)state;
	assert_non_null(mkdtemp(root));
	put(root, "/a/b", "memory.max", "max\n");
	put(root, "/a", "memory.max", "1000000\n");
	put(root, "/memory/x", "memory.limit_in_bytes", "9223372036854771712\n");
	put(root, "/memory/y", "memory.limit_in_bytes", "4096000\n");
	assert_true(dentry_room_cgroup("0::/a/b\n", root) == 1000000);
	assert_true(dentry_room_cgroup("0::/other\n", root) == UINT64_MAX);
	assert_true(dentry_room_cgroup("8:pids:/\n4:memory:/x\n0::/\n", root) == UINT64_MAX);
	assert_true(dentry_room_cgroup("8:pids:/\n4:memory:/y\n0::/a\n", root) == 1000000);
	assert_true(dentry_room_cgroup("4:memory:/y\n", root) == 4096000);
	assert_true(dentry_room_cgroup("", root) == UINT64_MAX);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_unique_and_of_one_length),
		cmocka_unit_test(names_differ_by_kind_and_run),
		cmocka_unit_test(the_fifth_field_counts_negatives_from_5_0_on),
		cmocka_unit_test(slabs_are_counted_with_their_unused_parts),
		cmocka_unit_test(memory_by_hand),
		cmocka_unit_test(what_fits_fits_and_one_more_does_not),
		cmocka_unit_test(the_limit_as_published),
		cmocka_unit_test(the_least_limit_of_all_parents_holds),
	};

	return cmocka_run_group_tests_name("dentry", tests, NULL, NULL);
}
