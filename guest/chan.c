// SPDX-License-Identifier: GPL-2.0-only
/* The result channel's encoder and decoder; chan.h has the format. */
#include "chan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define OFF_TYPE 4
#define OFF_NAME_LEN 6
#define OFF_SIZE 8
#define OFF_LINES 16
#define OFF_VALUE 24
#define OFF_CRC 32
#define OFF_HEAD_CRC 36

static const uint8_t magic[4] = { 'S', 'B', 'C', '1' };

static void put_le(uint8_t *at, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get_le(const uint8_t *at, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static uint64_t count_lines(const uint8_t *data, size_t len)
{
	uint64_t lines = 0;

	for (size_t i = 0; i < len; i++)
		lines += data[i] == '\n';
	return lines;
}

static uint32_t crc_of(uint32_t crc, const void *data, size_t len)
{
	return (uint32_t)crc32_z(crc, data, len);
}

bool chan_name_ok(const char *name, size_t len)
{
	if (len == 0 || len > CHAN_NAME_MAX || name[0] == '.')
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c < ' ' || c == 0x7f || c == '/')
			return false;
	}
	return true;
}

/* ---- encoder ---- */

static int write_all(int fd, const void *data, size_t len)
{
	const uint8_t *at = data;

	while (len > 0) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

struct frame {
	enum chan_type type;
	const char *name;
	uint64_t size, lines, value;
	uint32_t crc;
};

static int put_header(struct chan_out *out, const struct frame *f)
{
	uint8_t buf[CHAN_HEADER + CHAN_NAME_MAX] = { 0 };
	size_t len = strlen(f->name);
	uint32_t crc;

	if (!chan_name_ok(f->name, len))
		return -EINVAL;
	memcpy(buf, magic, sizeof(magic));
	buf[OFF_TYPE] = (uint8_t)f->type;
	put_le(buf + OFF_NAME_LEN, len, 2);
	put_le(buf + OFF_SIZE, f->size, 8);
	put_le(buf + OFF_LINES, f->lines, 8);
	put_le(buf + OFF_VALUE, f->value, 8);
	put_le(buf + OFF_CRC, f->crc, 4);
	crc = crc_of(0, buf, OFF_HEAD_CRC);
	memcpy(buf + CHAN_HEADER, f->name, len);
	crc = crc_of(crc, buf + CHAN_HEADER, len);
	put_le(buf + OFF_HEAD_CRC, crc, 4);
	out->frames++;
	return write_all(out->fd, buf, CHAN_HEADER + len);
}

int chan_put_event(struct chan_out *out, const char *name, uint64_t value)
{
	struct frame f = { .type = CHAN_EVENT, .name = name, .value = value };

	return put_header(out, &f);
}

int chan_put_end(struct chan_out *out, uint64_t value)
{
	struct frame f = {
		.type = CHAN_END, .name = "end", .lines = out->frames, .value = value
	};

	return put_header(out, &f);
}

/*
 * Reads the file at @fd from its start; with @out also sends it, never more than @f->size
 * bytes, the length that the header promised. Leaves what was found in @f.
 */
static int pass_over(int fd, struct frame *f, struct chan_out *out)
{
	uint64_t most = out ? f->size : UINT64_MAX;
	uint8_t buf[16384];
	int err;

	f->size = f->lines = f->crc = 0;
	for (;;) {
		ssize_t n = pread(fd, buf, sizeof(buf), (off_t)f->size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		if ((uint64_t)n > most - f->size)
			return -EAGAIN;
		f->size += (uint64_t)n;
		f->lines += count_lines(buf, (size_t)n);
		f->crc = crc_of(f->crc, buf, (size_t)n);
		err = out ? write_all(out->fd, buf, (size_t)n) : 0;
		if (err)
			return err;
	}
}

int chan_put_file(struct chan_out *out, const char *name, int fd)
{
	struct frame f = { .type = CHAN_FILE, .name = name }, sent;
	int err = pass_over(fd, &f, NULL);

	if (!err)
		err = put_header(out, &f);
	if (err)
		return err;
	sent = f;
	err = pass_over(fd, &sent, out);
	if (err)
		return err;
	if (sent.size != f.size || sent.crc != f.crc)
		return -EAGAIN;
	return 0;
}

/* ---- decoder ---- */

void chan_in_init(struct chan_in *in, const struct chan_sink *sink, void *ctx)
{
	memset(in, 0, sizeof(*in));
	in->sink = sink;
	in->ctx = ctx;
}

bool chan_in_ended(const struct chan_in *in)
{
	return in->at == CHAN_AT_END;
}

__attribute__((format(printf, 3, 4))) static int fail(struct chan_in *in, int error,
						      const char *fmt, ...)
{
	char what[96];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(in->why, sizeof(in->why), "%s at byte %" PRIu64 " of the result channel", what,
		 in->offset);
	in->error = error;
	return error;
}

static size_t name_len(const struct chan_in *in)
{
	return (size_t)get_le(in->head + OFF_NAME_LEN, 2);
}

static int header_done(struct chan_in *in)
{
	if (memcmp(in->head, magic, sizeof(magic)) != 0)
		return fail(in, -EBADMSG, "no frame where one should start");
	if (name_len(in) == 0 || name_len(in) > CHAN_NAME_MAX)
		return fail(in, -EBADMSG, "corrupt header (name of %zu bytes)", name_len(in));
	in->at = CHAN_AT_NAME;
	in->have = 0;
	return 0;
}

static int next_frame(struct chan_in *in)
{
	in->frames++;
	in->at = CHAN_AT_HEADER;
	in->have = 0;
	return 0;
}

static int callback(struct chan_in *in, int returned)
{
	return returned ? fail(in, returned, "'%.40s' could not be taken", in->name) : 0;
}

static int file_done(struct chan_in *in)
{
	if (in->crc != (uint32_t)get_le(in->head + OFF_CRC, 4))
		return fail(in, -EBADMSG, "wrong checksum of '%.40s'", in->name);
	if (in->lines != get_le(in->head + OFF_LINES, 8))
		return fail(in, -EBADMSG, "wrong line count of '%.40s'", in->name);
	return callback(in, in->sink->file_end(in->ctx, in->lines)) ?: next_frame(in);
}

static int file_start(struct chan_in *in)
{
	int err = callback(in, in->sink->file_begin(in->ctx, in->name, in->left));

	if (err)
		return err;
	in->at = CHAN_AT_PAYLOAD;
	return in->left ? 0 : file_done(in);
}

static int end_mark(struct chan_in *in)
{
	uint64_t frames = get_le(in->head + OFF_LINES, 8);

	if (frames != in->frames)
		return fail(in, -EBADMSG, "%" PRIu64 " frames announced, %" PRIu64 " seen",
			    frames, in->frames);
	in->at = CHAN_AT_END;
	return callback(in, in->sink->end(in->ctx, get_le(in->head + OFF_VALUE, 8)));
}

static int name_done(struct chan_in *in)
{
	uint32_t crc = crc_of(crc_of(0, in->head, OFF_HEAD_CRC), in->name, in->have);

	if (crc != (uint32_t)get_le(in->head + OFF_HEAD_CRC, 4))
		return fail(in, -EBADMSG, "wrong checksum of a header");
	in->name[in->have] = '\0';
	if (!chan_name_ok(in->name, in->have))
		return fail(in, -EBADMSG, "unacceptable file name");
	in->left = get_le(in->head + OFF_SIZE, 8);
	in->lines = 0;
	in->crc = 0;
	if (in->head[OFF_TYPE] == CHAN_FILE)
		return file_start(in);
	if (in->left)
		return fail(in, -EBADMSG, "payload in a frame that has none");
	if (in->head[OFF_TYPE] == CHAN_END)
		return end_mark(in);
	if (in->head[OFF_TYPE] != CHAN_EVENT)
		return fail(in, -EBADMSG, "frame of unknown type %u", in->head[OFF_TYPE]);
	return callback(in, in->sink->event(in->ctx, in->name, get_le(in->head + OFF_VALUE, 8)))
		       ?: next_frame(in);
}

static size_t take(struct chan_in *in, void *to, size_t want, const uint8_t *data, size_t len)
{
	size_t n = want - in->have < len ? want - in->have : len;

	memcpy((uint8_t *)to + in->have, data, n);
	in->have += n;
	return n;
}

/* Slides a window of the magic's length over the noise. */
static int take_noise(struct chan_in *in, uint8_t byte)
{
	if (in->have == sizeof(magic)) {
		memmove(in->head, in->head + 1, sizeof(magic) - 1);
		in->have--;
	}
	in->head[in->have++] = byte;
	if (in->have == sizeof(magic) && memcmp(in->head, magic, sizeof(magic)) == 0)
		in->at = CHAN_AT_HEADER;
	else if (in->offset > CHAN_NOISE_MAX)
		return fail(in, -EBADMSG, "only noise");
	return 0;
}

static int take_payload(struct chan_in *in, const uint8_t *data, size_t len)
{
	in->crc = crc_of(in->crc, data, len);
	in->lines += count_lines(data, len);
	in->left -= len;
	return callback(in, in->sink->file_data(in->ctx, data, len))
		       ?: (in->left ? 0 : file_done(in));
}

/*
 * Takes some of the @len (> 0) bytes at @data; *@used says how many. They are counted before
 * they are judged, so that an error names the same byte however the stream is cut.
 */
static int step(struct chan_in *in, const uint8_t *data, size_t len, size_t *used)
{
	switch (in->at) {
	case CHAN_AT_NOISE:
		in->offset += *used = 1;
		return take_noise(in, *data);
	case CHAN_AT_HEADER:
		in->offset += *used = take(in, in->head, CHAN_HEADER, data, len);
		return in->have == CHAN_HEADER ? header_done(in) : 0;
	case CHAN_AT_NAME:
		in->offset += *used = take(in, in->name, name_len(in), data, len);
		return in->have == name_len(in) ? name_done(in) : 0;
	case CHAN_AT_PAYLOAD:
		in->offset += *used = in->left < len ? (size_t)in->left : len;
		return take_payload(in, data, *used);
	default:
		return fail(in, -EBADMSG, "bytes after the end mark");
	}
}

int chan_in_feed(struct chan_in *in, const uint8_t *data, size_t len)
{
	size_t used = 0;

	while (len > 0 && !in->error) {
		if (step(in, data, len, &used))
			break;
		data += used;
		len -= used;
	}
	return in->error;
}

int chan_in_finish(struct chan_in *in)
{
	if (in->error || chan_in_ended(in))
		return in->error;
	if (in->offset == 0)
		return fail(in, -ENODATA, "nothing came");
	return fail(in, -ENODATA, "truncated: no end mark");
}
