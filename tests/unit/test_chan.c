// SPDX-License-Identifier: GPL-2.0-only
/* The result channel: what was sent arrives to the byte, or nothing is believed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

#include "../../guest/chan.h"

#define STREAM_MAX (1 << 20)

struct stream {
	uint8_t data[STREAM_MAX];
	size_t len;
};

/* What a sink heard, as text. */
struct heard {
	char text[4096];
	size_t len;
	uint64_t bytes;
	bool raw; /* keep the payload, too */
};

static void hear(struct heard *h, const void *data, size_t len)
{
	assert_true(h->len + len < sizeof(h->text));
	memcpy(h->text + h->len, data, len);
	h->len += len;
	h->text[h->len] = '\0';
}

static void hear_word(struct heard *h, const char *what, const char *name, uint64_t value)
{
	char line[300];
	int len = snprintf(line, sizeof(line), "%s %s %lu|", what, name, (unsigned long)value);

	hear(h, line, (size_t)len);
}

static int on_event(void *ctx, const char *name, uint64_t value)
{
	hear_word(ctx, "event", name, value);
	return 0;
}

static int on_begin(void *ctx, const char *name, uint64_t size)
{
	hear_word(ctx, "file", name, size);
	return strcmp(name, "refused") == 0 ? -EPERM : 0;
}

static int on_data(void *ctx, const uint8_t *data, size_t len)
{
	struct heard *h = ctx;

	h->bytes += len;
	if (h->raw)
		hear(h, data, len);
	return 0;
}

static int on_file_end(void *ctx, uint64_t lines)
{
	hear_word(ctx, "", "lines", lines);
	return 0;
}

static int on_end(void *ctx, uint64_t value)
{
	hear_word(ctx, "end", "", value);
	return 0;
}

static const struct chan_sink sink = {
	.event = on_event,
	.file_begin = on_begin,
	.file_data = on_data,
	.file_end = on_file_end,
	.end = on_end,
};

static int file_of(const void *data, size_t len)
{
	int fd = memfd_create("file", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	return fd;
}

static void send_file(struct chan_out *out, const char *name, const void *data, size_t len)
{
	int fd = file_of(data, len);

	assert_int_equal(chan_put_file(out, name, fd), 0);
	close(fd);
}

/* Two events, two files (one empty), the end. */
static const char payload[] = "a,b\r\nSBC1\0x\nno newline";

static void make(struct stream *s)
{
	struct chan_out out = { .fd = memfd_create("stream", 0) };
	ssize_t len;

	assert_int_equal(chan_put_event(&out, "init", 123456789012345u), 0);
	assert_int_equal(chan_put_event(&out, "start", 0), 0);
	send_file(&out, "results.csv", payload, sizeof(payload) - 1);
	send_file(&out, "empty", "", 0);
	assert_int_equal(chan_put_end(&out, 77), 0);
	len = pread(out.fd, s->data, sizeof(s->data), 0);
	assert_true(len > 0);
	s->len = (size_t)len;
	close(out.fd);
}

/* Feeds in pieces of @piece bytes; returns what chan_in_finish says. */
static int decode(const uint8_t *data, size_t len, size_t piece, struct heard *h,
		  struct chan_in *in)
{
	chan_in_init(in, &sink, h);
	for (size_t at = 0; at < len; at += piece)
		if (chan_in_feed(in, data + at, len - at < piece ? len - at : piece))
			break;
	return chan_in_finish(in);
}

static void test_round_trip(void **state)
{
	static const char want[] =
		"event init 123456789012345|event start 0|file results.csv 22|"
		"a,b\r\nSBC1\0x\nno newline lines 2|file empty 0| lines 0|"
		"end  77|";
	static struct stream s;
	struct chan_in in;

	(void)state;
	make(&s);
	for (size_t piece = 1; piece <= s.len; piece++) {
		struct heard h = { .raw = true };

		assert_int_equal(decode(s.data, s.len, piece, &h, &in), 0);
		assert_int_equal(h.len, sizeof(want) - 1);
		assert_memory_equal(h.text, want, h.len);
		assert_true(chan_in_ended(&in));
	}
}

static void test_every_flipped_bit_is_seen(void **state)
{
	static struct stream s;
	struct chan_in in;

	(void)state;
	make(&s);
	for (size_t i = 0; i < s.len * 8; i++) {
		struct heard h = { 0 };

		s.data[i / 8] ^= (uint8_t)(1 << i % 8);
		assert_int_not_equal(decode(s.data, s.len, 7, &h, &in), 0);
		assert_true(in.why[0]);
		s.data[i / 8] ^= (uint8_t)(1 << i % 8);
	}
}

static void test_every_truncation_is_seen(void **state)
{
	static struct stream s;
	struct chan_in in;

	(void)state;
	make(&s);
	for (size_t len = 0; len < s.len; len++) {
		struct heard h = { 0 };

		assert_int_equal(decode(s.data, len, 64, &h, &in), -ENODATA);
		assert_non_null(strstr(in.why, len ? "truncated" : "nothing came"));
	}
}

/* A byte that goes missing, or one too many, anywhere after the first frame's magic. */
static void test_lost_and_added_bytes_are_seen(void **state)
{
	static struct stream s, t;
	struct chan_in in;

	(void)state;
	make(&s);
	for (size_t i = 4; i <= s.len; i++) {
		struct heard h = { 0 };

		memcpy(t.data, s.data, i);
		t.data[i] = '\r';
		memcpy(t.data + i + 1, s.data + i, s.len - i);
		assert_int_not_equal(decode(t.data, s.len + 1, 64, &h, &in), 0);
		if (i == s.len)
			break;
		memset(&h, 0, sizeof(h));
		memcpy(t.data + i, s.data + i + 1, s.len - i - 1);
		assert_int_not_equal(decode(t.data, s.len - 1, 64, &h, &in), 0);
	}
}

static void test_noise_only_before_the_first_frame(void **state)
{
	static struct stream s;
	static uint8_t noisy[STREAM_MAX];
	struct heard h = { 0 };
	struct chan_in in;

	(void)state;
	make(&s);
	memcpy(noisy, "\xff\0SBSBCSBC", 10);
	memcpy(noisy + 10, s.data, s.len);
	assert_int_equal(decode(noisy, 10 + s.len, 3, &h, &in), 0);
	memset(noisy, 'x', sizeof(noisy));
	assert_int_equal(decode(noisy, sizeof(noisy), 4096, &h, &in), -EBADMSG);
	assert_non_null(strstr(in.why, "only noise"));
}

static void test_a_lost_frame_is_seen(void **state)
{
	struct chan_out out = { .fd = memfd_create("stream", 0), .frames = 1 };
	uint8_t data[256];
	struct heard h = { 0 };
	struct chan_in in;
	ssize_t len;

	(void)state;
	assert_int_equal(chan_put_end(&out, 0), 0);
	len = pread(out.fd, data, sizeof(data), 0);
	close(out.fd);
	assert_int_equal(decode(data, (size_t)len, 64, &h, &in), -EBADMSG);
	assert_non_null(strstr(in.why, "1 frames announced, 0 seen"));
	assert_string_equal(h.text, "");
}

/* The checksum is right, the number of rows is not what was announced. */
static void test_wrong_line_count(void **state)
{
	struct chan_out out = { .fd = memfd_create("stream", 0) };
	uint8_t data[256];
	struct heard h = { 0 };
	struct chan_in in;
	uint32_t crc;
	ssize_t len;

	(void)state;
	send_file(&out, "f", "1\n2\n", 4);
	len = pread(out.fd, data, sizeof(data), 0);
	close(out.fd);
	data[16] = 3;
	crc = (uint32_t)crc32_z(crc32_z(0, data, 36), data + CHAN_HEADER, 1);
	for (int i = 0; i < 4; i++)
		data[36 + i] = (uint8_t)(crc >> 8 * i);
	assert_int_equal(decode(data, (size_t)len, 64, &h, &in), -EBADMSG);
	assert_non_null(strstr(in.why, "wrong line count of 'f'"));
}

static void test_a_sink_can_refuse(void **state)
{
	struct chan_out out = { .fd = memfd_create("stream", 0) };
	uint8_t data[256];
	struct heard h = { 0 };
	struct chan_in in;
	ssize_t len;

	(void)state;
	send_file(&out, "refused", "x", 1);
	len = pread(out.fd, data, sizeof(data), 0);
	close(out.fd);
	assert_int_equal(decode(data, (size_t)len, 64, &h, &in), -EPERM);
	assert_int_equal(h.bytes, 0);
	assert_int_equal(chan_in_feed(&in, data, 1), -EPERM);
}

static void test_large_file(void **state)
{
	static uint8_t data[500000];
	static struct stream s;
	struct chan_out out = { .fd = memfd_create("stream", 0) };
	struct heard h = { 0 };
	struct chan_in in;

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 31 >> 3);
	send_file(&out, "large", data, sizeof(data));
	assert_int_equal(chan_put_end(&out, CHAN_SIGNALLED + 9), 0);
	s.len = (size_t)pread(out.fd, s.data, sizeof(s.data), 0);
	close(out.fd);
	assert_int_equal(decode(s.data, s.len, 4093, &h, &in), 0);
	assert_int_equal(h.bytes, sizeof(data));
}

static void test_names(void **state)
{
	static const char *const bad[] = { "", ".hidden", "..", "a/b", "/", "a\nb", "a\x7f" };
	char longest[CHAN_NAME_MAX + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(chan_name_ok(bad[i], strlen(bad[i])));
	assert_false(chan_name_ok("a\0b", 3));
	assert_true(chan_name_ok("a, b%-\xc3\xa4.csv", 12));
	memset(longest, 'n', sizeof(longest));
	assert_true(chan_name_ok(longest, CHAN_NAME_MAX));
	assert_false(chan_name_ok(longest, CHAN_NAME_MAX + 1));
}

static void test_full_device(void **state)
{
	struct chan_out out = { .fd = -1 };
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	out.fd = fileno(full);
	assert_int_equal(chan_put_event(&out, "init", 1), -ENOSPC);
	fclose(full);
	assert_int_equal(chan_put_event(&out, "a/b", 1), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_every_flipped_bit_is_seen),
		cmocka_unit_test(test_every_truncation_is_seen),
		cmocka_unit_test(test_lost_and_added_bytes_are_seen),
		cmocka_unit_test(test_noise_only_before_the_first_frame),
		cmocka_unit_test(test_a_lost_frame_is_seen),
		cmocka_unit_test(test_wrong_line_count),
		cmocka_unit_test(test_a_sink_can_refuse),
		cmocka_unit_test(test_large_file),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_full_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
