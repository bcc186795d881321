// SPDX-License-Identifier: GPL-2.0-only
/* The console verdict, and the check of kernel images. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../guest/console.h"
#include "../../guest/kimage.h"

struct seen {
	unsigned int kinds[CONSOLE_KINDS];
	uint64_t last_line;
	char text[CONSOLE_LINE_MAX + 1];
	int answer;
};

static int on_found(void *ctx, const struct console_finding *f)
{
	struct seen *seen = ctx;

	seen->kinds[f->kind]++;
	seen->last_line = f->line;
	snprintf(seen->text, sizeof(seen->text), "%s", f->text);
	return seen->answer;
}

static void test_arm64_images(void **state)
{
	uint8_t head[1024] = { 0 };
	char why[128];

	(void)state;
	assert_int_equal(kimage_check("arm64", head, sizeof(head), 4096, why, sizeof(why)),
			 -ENOEXEC);
	assert_non_null(strstr(why, "not an arm64 kernel image"));
	memcpy(head + 56, "ARM\x64", 4);
	assert_int_equal(kimage_check("arm64", head, sizeof(head), 4096, why, sizeof(why)), 0);
	assert_int_equal(kimage_check("arm64", head, 63, 63, why, sizeof(why)), -ENOEXEC);
	assert_int_equal(kimage_check("x86_64", head, sizeof(head), 4096, why, sizeof(why)),
			 -ENOEXEC);
	memcpy(head, "\x1f\x8b", 2);
	assert_int_equal(kimage_check("arm64", head, sizeof(head), 4096, why, sizeof(why)),
			 -ENOEXEC);
	assert_non_null(strstr(why, "compressed"));
	assert_int_equal(kimage_check("other", head, sizeof(head), 4096, why, sizeof(why)), 0);
}

static int load_all(void **state)
{
	static struct console_rules rules;

	assert_int_equal(console_rules_load(&rules, "guest/console-patterns", CONSOLE_KINDS),
			 0);
	assert_int_equal(console_rules_load(&rules, "guest/console-benign", CONSOLE_BENIGN), 0);
	assert_int_equal(console_rules_add(&rules, CONSOLE_EXPECTED, "BUG: workqueue lockup"),
			 0);
	*state = &rules;
	return 0;
}

static int free_all(void **state)
{
	console_rules_free(*state);
	return 0;
}

static struct seen scan(void **state, const char *data, size_t len, size_t piece)
{
	static struct console_scan s;
	struct seen seen = { 0 };

	console_scan_init(&s, *state, on_found, &seen);
	for (size_t at = 0; at < len; at += piece)
		console_scan_feed(&s, (const uint8_t *)data + at,
				  len - at < piece ? len - at : piece);
	console_scan_finish(&s);
	return seen;
}

static struct seen scan_text(void **state, const char *text)
{
	return scan(state, text, strlen(text), 16);
}

static void test_bad_lines(void **state)
{
	/* As kernels print them. */
	static const char *const bad[] = {
		"watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [keygcbench:71]",
		"NMI watchdog: Watchdog detected hard LOCKUP on cpu 1",
		"rcu: INFO: rcu_preempt self-detected stall on CPU",
		"rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-... }",
		"INFO: task keygcbench:71 blocked for more than 120 seconds.",
		"WARNING: CPU: 0 PID: 1 at kernel/workqueue.c:1234 foo+0x1/0x2",
		"WARNING: possible circular locking dependency detected",
		"WARNING: suspicious RCU usage",
		"BUG: kernel NULL pointer dereference, address: 0000000000000008",
		"BUG: scheduling while atomic: sh/1/0x00000002",
		"BUG: sleeping function called from invalid context at mm/slab.h:1",
		"BUG: KASAN: slab-use-after-free in key_gc+0x1/0x2",
		"BUG: workqueue leaked atomic, lock or RCU: kworker/0:1[9]",
		"UBSAN: array-index-out-of-bounds in a.c:1:2",
		"Oops: 0000 [#1] PREEMPT SMP",
		"kernel BUG at security/keys/gc.c:1!",
		"refcount_t: underflow; use-after-free.",
		"list_del corruption. prev->next should be 1, but was 2",
		"general protection fault, probably for non-canonical address 0x1: 0000 [#1]",
		"Out of memory: Killed process 71 (keygcbench) total-vm:1kB",
		"BUG kmalloc-32 (Not tainted): Poison overwritten",
		"sh[71]: segfault at 0 ip 0 sp 0 error 4",
		"ODEBUG: free active (active state 0) object: 1 object type: work_struct",
		"kmemleak: 3 new suspected memory leaks",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char line[300];
		struct seen seen;

		snprintf(line, sizeof(line), "[    1.234567] ok\n[    2.345678] %s\n", bad[i]);
		seen = scan_text(state, line);
		if (seen.kinds[CONSOLE_BAD] != 1)
			fail_msg("not seen as bad: %s", bad[i]);
		assert_int_equal(seen.last_line, 2);
	}
}

static void test_good_lines(void **state)
{
	static const char *const good[] = {
		"Linux version 6.12.117-baseline (gcc 12.2.0) #1 SMP PREEMPT",
		"rcu: Preemptible hierarchical RCU implementation.",
		"rcu: \tRCU restricting CPUs from NR_CPUS=64 to nr_cpu_ids=1.",
		"clocksource: tsc-early: mask: 0xffffffffffffffff max_cycles: 0x1",
		"clocksource: Switched to clocksource tsc",
		"kworker/u2: debug: Oops? no",
		"NMI watchdog: Perf NMI watchdog permanently disabled",
		"tsc: Unable to calibrate against PIT",
		"** This system shows unhashed kernel memory addresses   **",
		"Warning: unable to open an initial console.",
		"x86/fpu: x87 FPU will use FXSAVE",
		"hung_task: hung task detector runs",
		"stallbench: init, runs keygcbench",
		"Spectre V2 : WARNING: Unprivileged eBPF is enabled",
		"---[ end Kernel panic",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct seen seen = scan_text(state, good[i]);

		for (int kind = 0; kind < CONSOLE_KINDS; kind++)
			if (seen.kinds[kind])
				fail_msg("not harmless: %s", good[i]);
	}
}

static void test_kinds(void **state)
{
	struct seen seen = scan_text(
		state,
		"workqueue: key_garbage_collector hogged CPU for >10000us 4 times, x\n"
		"BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 31s!\n"
		"WARNING: one\n"
		"Kernel panic - not syncing: Attempted to kill init!\n");

	assert_int_equal(seen.kinds[CONSOLE_HOGGED], 1);
	assert_int_equal(seen.kinds[CONSOLE_EXPECTED], 1);
	assert_int_equal(seen.kinds[CONSOLE_BAD], 1);
	assert_int_equal(seen.kinds[CONSOLE_PANIC], 1);
	assert_int_equal(seen.last_line, 4);
}

/* Cut anywhere, with bytes in it that hide words from simpler readers. */
static void test_junk(void **state)
{
	static const char text[] =
		"\r\n\0\xff\x1b[0m [ 1.0] WARN\r\0ING: \xc3\xa4\a x\r\r\nend";

	for (size_t piece = 1; piece < sizeof(text); piece++) {
		struct seen seen = scan(state, text, sizeof(text) - 1, piece);

		assert_int_equal(seen.kinds[CONSOLE_BAD], 1);
		assert_int_equal(seen.last_line, 2);
		assert_non_null(strstr(seen.text, "WARNING: ??? x"));
	}
}

/* One line of any length counts once, wherever in it the words are. */
static void test_long_lines(void **state)
{
	size_t len = 3 * CONSOLE_LINE_MAX;
	char *line = malloc(len);

	assert_non_null(line);
	for (size_t at = 0; at + 12 < len; at += at % 3840 < 300 ? 1 : 601) {
		memset(line, '-', len);
		memcpy(line + at, "refcount_t: ", 12);
		assert_int_equal(scan(state, line, len, 1000).kinds[CONSOLE_BAD], 1);
	}
	memset(line, '-', len);
	memcpy(line, "BUG: ", 5);
	memcpy(line + len - 6, "BUG: ", 5);
	assert_int_equal(scan(state, line, len, 1000).kinds[CONSOLE_BAD], 1);
	free(line);
}

static void test_callback_ends_the_scan(void **state)
{
	static struct console_scan s;
	struct seen seen = { .answer = -ENOSPC };
	static const uint8_t text[] = "BUG: 1\nBUG: 2\n";

	console_scan_init(&s, *state, on_found, &seen);
	assert_int_equal(console_scan_feed(&s, text, sizeof(text) - 1), -ENOSPC);
	assert_int_equal(seen.kinds[CONSOLE_BAD], 1);
	assert_int_equal(console_scan_finish(&s), -ENOSPC);
}

static int load_text(const char *text, enum console_kind kind, size_t *count)
{
	struct console_rules rules = { 0 };
	char path[] = "/tmp/rules.XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	err = console_rules_load(&rules, path, kind);
	*count = rules.count;
	console_rules_free(&rules);
	unlink(path);
	return err;
}

static void test_rule_files(void **state)
{
	size_t count;

	(void)state;
	assert_int_equal(load_text("# c\n\n \t\nbad a|b\r\npanic\tc d", CONSOLE_KINDS, &count),
			 0);
	assert_int_equal(count, 2);
	assert_int_equal(load_text("worse x\n", CONSOLE_KINDS, &count), -EINVAL);
	assert_int_equal(load_text("bad\n", CONSOLE_KINDS, &count), -EINVAL);
	assert_int_equal(load_text("bad (\n", CONSOLE_KINDS, &count), -EINVAL);
	assert_int_equal(load_text("(\n", CONSOLE_EXPECTED, &count), -EINVAL);
	assert_int_equal(load_text("bad x\n", CONSOLE_EXPECTED, &count), 0);
	assert_int_equal(load_text("", CONSOLE_EXPECTED, &count), 0);
	assert_int_equal(count, 0);
}

static void test_kernel_images(void **state)
{
	uint8_t head[1024] = { 0 };
	char why[128];

	(void)state;
	assert_int_equal(kimage_check("x86_64", head, 0, 0, why, sizeof(why)), -ENOEXEC);
	assert_int_equal(kimage_check("x86_64", head, sizeof(head), 4096, why, sizeof(why)),
			 -ENOEXEC);
	assert_non_null(strstr(why, "no boot header"));
	memcpy(head + 0x202, "HdrS", 4);
	head[0x1f1] = 27;
	head[0x1f5] = 0x10; /* 0x1000 units of 16 bytes */
	assert_int_equal(
		kimage_check("x86_64", head, sizeof(head), 28 * 512 + 65536, why, sizeof(why)),
		0);
	assert_int_equal(
		kimage_check("x86_64", head, sizeof(head), 28 * 512 + 65535, why, sizeof(why)),
		-ENOEXEC);
	assert_non_null(strstr(why, "truncated kernel image: 79871 bytes of 79872"));
	assert_int_equal(kimage_check("x86_64", head, 0x205, 1 << 20, why, sizeof(why)),
			 -ENOEXEC);
	memcpy(head, "\177ELF", 4);
	assert_int_equal(kimage_check("x86_64", head, sizeof(head), 1 << 20, why, sizeof(why)),
			 -ENOEXEC);
	assert_non_null(strstr(why, "ELF"));
	assert_int_equal(kimage_check_file("x86_64", "/dev/null"), -ENOEXEC);
	assert_int_equal(kimage_check_file("x86_64", "/nonexistent"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_good_lines),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_junk),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_callback_ends_the_scan),
		cmocka_unit_test(test_rule_files),
		cmocka_unit_test(test_kernel_images),
		cmocka_unit_test(test_arm64_images),
	};

	return cmocka_run_group_tests(tests, load_all, free_all);
}
