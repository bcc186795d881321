// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of the guest's channel: it says the same wherever the bytes are cut, never more
 * of a file than was announced, and nothing after the end mark. Random bytes never have the
 * right checksums, so inputs whose first byte is odd get those put right before they are
 * decoded.
 */
#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "fuzz.h"
#include "../../guest/chan.h"

/* Of a frame; chan.h has the whole of it. */
#define NAME_LEN_AT 6
#define SIZE_AT 8
#define LINES_AT 16
#define CRC_AT 32
#define HEAD_CRC_AT 36

struct heard {
	bool in_file, ended;
	uint64_t size, lines; /* of the file that is coming: left, seen */
	uint64_t sum;	      /* of all that was said, however it was cut */
};

static void add(struct heard *h, const void *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h->sum = (h->sum ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
}

static void word(struct heard *h, const char *what, const char *name, uint64_t value)
{
	PROMISE(!h->ended);
	PROMISE(chan_name_ok(name, strlen(name)));
	add(h, what, strlen(what) + 1);
	add(h, name, strlen(name) + 1);
	add(h, &value, sizeof(value));
}

static int on_event(void *ctx, const char *name, uint64_t value)
{
	struct heard *h = ctx;

	PROMISE(!h->in_file);
	word(h, "event", name, value);
	return 0;
}

static int on_begin(void *ctx, const char *name, uint64_t size)
{
	struct heard *h = ctx;

	PROMISE(!h->in_file);
	word(h, "file", name, size);
	h->in_file = true;
	h->size = size;
	h->lines = 0;
	return 0;
}

static int on_data(void *ctx, const uint8_t *data, size_t len)
{
	struct heard *h = ctx;

	PROMISE(h->in_file && len && len <= h->size);
	h->size -= len;
	for (size_t i = 0; i < len; i++)
		h->lines += data[i] == '\n';
	add(h, data, len);
	return 0;
}

static int on_file_end(void *ctx, uint64_t lines)
{
	struct heard *h = ctx;

	PROMISE(h->in_file && !h->size && h->lines == lines);
	h->in_file = false;
	return 0;
}

static int on_end(void *ctx, uint64_t value)
{
	struct heard *h = ctx;

	PROMISE(!h->in_file);
	word(h, "end", "end", value);
	h->ended = true;
	return 0;
}

static int decode(const uint8_t *data, size_t len, size_t piece, struct heard *h, char *why)
{
	static const struct chan_sink sink = { on_event, on_begin, on_data, on_file_end,
					       on_end };
	struct chan_in in;
	int ret = 0;

	*h = (struct heard){ 0 };
	chan_in_init(&in, &sink, h);
	for (size_t at = 0; at < len; at += piece) {
		size_t n = len - at < piece ? len - at : piece;
		int now = chan_in_feed(&in, data + at, n);

		PROMISE(!ret || now == ret);
		ret = now;
	}
	ret = chan_in_finish(&in);
	PROMISE(!ret == chan_in_ended(&in) || in.error);
	PROMISE(!ret || in.why[0]);
	PROMISE(ret || (h->ended && !h->in_file));
	memcpy(why, in.why, sizeof(in.why));
	return ret;
}

static uint64_t number(const uint8_t *at, unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | at[bytes];
	return value;
}

static void put(uint8_t *at, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

/* Follows the lengths from the first frame on, and makes each frame's sums and lines right. */
static void put_right(uint8_t *data, size_t len)
{
	uint8_t *at = memmem(data, len, "SBC1", 4), *end = data + len;

	while (at && end - at >= CHAN_HEADER) {
		size_t name = number(at + NAME_LEN_AT, 2);
		uint64_t size = number(at + SIZE_AT, 8), lines = 0;
		uint8_t *payload = at + CHAN_HEADER + name;
		uLong crc;

		if (payload > end || size > (uint64_t)(end - payload))
			return;
		for (uint64_t i = 0; i < size; i++)
			lines += payload[i] == '\n';
		/* An end mark has the number of frames in this place. */
		if (size)
			put(at + LINES_AT, lines, 8);
		put(at + CRC_AT, crc32_z(0, payload, size), 4);
		crc = crc32_z(crc32_z(0, at, HEAD_CRC_AT), at + CHAN_HEADER, name);
		put(at + HEAD_CRC_AT, crc, 4);
		at = payload + size;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct heard whole, cut;
	char why[160], why_cut[160];
	uint8_t *copy;
	int ret;

	if (!len)
		return 0;
	copy = malloc(len);
	PROMISE(copy);
	memcpy(copy, data, len);
	if (data[0] & 1)
		put_right(copy, len);
	ret = decode(copy, len, len, &whole, why);
	for (size_t piece = 1; piece < 100; piece += 41) {
		PROMISE(decode(copy, len, piece, &cut, why_cut) == ret);
		PROMISE(cut.sum == whole.sum || ret);
		PROMISE(!strcmp(why, why_cut));
	}
	free(copy);
	return 0;
}
