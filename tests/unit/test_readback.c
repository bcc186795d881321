// SPDX-License-Identifier: GPL-2.0-only
/* Where a parameter shows itself, and what counts as the value that was asked for. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../guest/readback.h"

static void paths(void **state)
{
	char path[128];

	(void)state;
	assert_int_equal(readback_path("srcutree.srcu_max_nodelay", path, sizeof(path)), 0);
	assert_string_equal(path, "/sys/module/srcutree/parameters/srcu_max_nodelay");
	assert_int_equal(readback_path("kvm-amd.nested", path, sizeof(path)), 0);
	assert_string_equal(path, "/sys/module/kvm_amd/parameters/nested");
	assert_int_equal(readback_path("sysctl.fs.neg-dentry-limit", path, sizeof(path)), 0);
	assert_string_equal(path, "/proc/sys/fs/neg-dentry-limit");
	assert_int_equal(readback_path("quiet", path, sizeof(path)), -EINVAL);
	assert_int_equal(readback_path(".x", path, sizeof(path)), -EINVAL);
	assert_int_equal(readback_path("x.", path, sizeof(path)), -EINVAL);
	assert_int_equal(readback_path("srcutree.srcu_max_nodelay", path, 20), -ENAMETOOLONG);
}

static void values(void **state)
{
	(void)state;
	assert_true(readback_same("100", "100"));
	assert_true(readback_same("0x10", "16"));
	assert_true(readback_same("1", "Y"));
	assert_true(readback_same("off", "N"));
	assert_true(readback_same("full", "full"));
	assert_false(readback_same("100", "1000"));
	assert_false(readback_same("100x", "100"));
	assert_false(readback_same("1", "N"));
	assert_false(readback_same("full", "none"));
	assert_false(readback_same("", "0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(paths), cmocka_unit_test(values) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
