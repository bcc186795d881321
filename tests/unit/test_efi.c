// SPDX-License-Identifier: GPL-2.0-only
/* Firmware's serial line, cut anywhere, and the bytes it changed in its flash. */
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

#include "../../srcubench/efi_flash.h"
#include "../../srcubench/efi_serial.h"

/* What OVMF begins with; then its end. */
static const char clear[] = "\33[2J\33[01;01H\33[=3h\33[2J\33[01;01H";
static const char end[] = "BdsDxe: loading Boot0001 \"EFI Internal Shell\" from Fv(7CB8BDC9)";

static void mark_in_any_pieces(void **state)
{
	char all[256];
	size_t len = (size_t)snprintf(all, sizeof(all), "%s%s", clear, end);
	size_t mark = strlen(clear) + strlen("BdsDxe: ");

	(void)state;
	for (size_t piece = 1; piece <= len; piece++) {
		struct efi_serial s = { 0 };

		for (size_t at = 0; at < len; at += piece) {
			size_t n = at + piece < len ? piece : len - at;

			assert_int_equal(efi_serial_feed(&s, all + at, n), at + n >= mark);
		}
	}
}

static bool ends(const char *text)
{
	struct efi_serial s = { 0 };

	return efi_serial_feed(&s, text, strlen(text));
}

static void what_is_a_mark(void **state)
{
	(void)state;
	assert_true(ends("BdsDxe: failed to load Boot0001"));
	assert_true(ends("\33[0m\33[35mMapping table\r\n"));
	assert_false(ends(clear));
	assert_false(ends("BdsDx\ne: "));
	assert_false(ends("Bds\33[1m Dxe: loading"));
	assert_true(ends("Bds\33[1mDxe: loading"));
}

static void the_last_line(void **state)
{
	struct efi_serial s = { 0 };
	char longer[3 * EFI_LINE_LEN];

	(void)state;
	assert_string_equal(efi_serial_last(&s), "");
	efi_serial_feed(&s, "\33[2Jone\r\ntwo\r\n\r\n  \r\n", 21);
	assert_string_equal(efi_serial_last(&s), "two");
	efi_serial_feed(&s, "thr\1\377ee", 7);
	assert_string_equal(efi_serial_last(&s), "three");
	memset(longer, 'x', sizeof(longer));
	efi_serial_feed(&s, longer, sizeof(longer));
	assert_int_equal(strlen(efi_serial_last(&s)), EFI_LINE_LEN - 1);
}

static void flash(void **state)
{
	char path[] = "/tmp/test_efi.XXXXXX", text[] = "0123456789";
	int file = mkstemp(path);
	struct efi_flash flash;
	uint64_t changed;
	FILE *again;

	(void)state;
	assert_true(file >= 0);
	assert_int_equal(write(file, text, 10), 10);
	close(file);
	assert_int_equal(efi_flash_open(&flash, path), 0);
	unlink(path);
	assert_int_equal(flash.size, 10);
	assert_int_equal(efi_flash_changed(&flash, &changed), 0);
	assert_int_equal(changed, 0);
	/* As QEMU does it: by the path. */
	again = fopen(flash.path, "r+");
	assert_non_null(again);
	fputs("x1x3", again);
	fclose(again);
	assert_int_equal(efi_flash_changed(&flash, &changed), 0);
	assert_int_equal(changed, 2);
	efi_flash_close(&flash);
	assert_int_equal(flash.fd, -1);
}

static void no_flash(void **state)
{
	struct efi_flash flash;

	(void)state;
	assert_true(efi_flash_open(&flash, "/nonexistent") < 0);
	assert_true(efi_flash_open(&flash, "/dev/null") < 0);
	assert_int_equal(flash.fd, -1);
	efi_flash_close(&flash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mark_in_any_pieces), cmocka_unit_test(what_is_a_mark),
		cmocka_unit_test(the_last_line),      cmocka_unit_test(flash),
		cmocka_unit_test(no_flash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
