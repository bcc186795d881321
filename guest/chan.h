/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result channel: how files and an exit status leave a guest over a UART of their own.
 *
 * A stream is a sequence of frames. A frame is a header of CHAN_HEADER bytes, a name and a
 * payload; numbers are little-endian:
 *
 *	offset	bytes
 *	0	4	magic "SBC1"
 *	4	1	type (enum chan_type)
 *	5	1	0
 *	6	2	length of the name, at most CHAN_NAME_MAX
 *	8	8	length of the payload
 *	16	8	lines (LF bytes) in the payload; in the end mark: number of frames
 *			before it
 *	24	8	value: what an event reports, what the command ended with
 *	32	4	CRC-32 of the payload
 *	36	4	CRC-32 of the 36 bytes above and of the name
 *
 * Nothing is resynchronised: a stream with one bad byte is refused as a whole, because a table
 * that lacks a row looks exactly like a table. Only noise before the first frame is skipped (a
 * driver that probes the UART may leave some).
 */
#ifndef GUEST_CHAN_H
#define GUEST_CHAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHAN_HEADER 40
#define CHAN_NAME_MAX 255
/* Noise allowed before the first frame; more means that this is not our guest. */
#define CHAN_NOISE_MAX 4096
/* Added to a signal's number in the end mark's value; below it the value is an exit status. */
#define CHAN_SIGNALLED 256

enum chan_type {
	CHAN_EVENT = 1, /* a step was reached; no payload */
	CHAN_FILE = 2,
	CHAN_END = 3, /* the last frame; no payload */
};

/* Encoder: one open channel. */
struct chan_out {
	int fd;
	uint64_t frames; /* sent so far */
};

/* Each returns 0 or -errno from write(2). @name must be acceptable to chan_name_ok(). */
int chan_put_event(struct chan_out *out, const char *name, uint64_t value);
/* The end mark. @value: exit status, or CHAN_SIGNALLED plus a signal. */
int chan_put_end(struct chan_out *out, uint64_t value);
/*
 * Ships the regular file open at @fd, from its start. It is read twice (the header holds its
 * checksum): -EAGAIN if it changed meanwhile, in which case the stream is spoilt.
 */
int chan_put_file(struct chan_out *out, const char *name, int fd);

/*
 * Decoder: told of what a stream holds. A callback that returns non-zero ends the decoding with
 * that value. A file is good only once file_end is called: before that, what file_data got may
 * still turn out to be corrupt.
 */
struct chan_sink {
	int (*event)(void *ctx, const char *name, uint64_t value);
	int (*file_begin)(void *ctx, const char *name, uint64_t size);
	int (*file_data)(void *ctx, const uint8_t *data, size_t len);
	int (*file_end)(void *ctx, uint64_t lines);
	int (*end)(void *ctx, uint64_t value);
};

struct chan_in {
	const struct chan_sink *sink;
	void *ctx;
	enum { CHAN_AT_NOISE, CHAN_AT_HEADER, CHAN_AT_NAME, CHAN_AT_PAYLOAD, CHAN_AT_END } at;
	uint8_t head[CHAN_HEADER];
	char name[CHAN_NAME_MAX + 1];
	size_t have;   /* bytes of the header, of the name */
	uint64_t left; /* payload bytes to come */
	uint64_t lines, frames, offset;
	uint32_t crc;
	int error;
	char why[160]; /* what was wrong, and at which byte of the stream */
};

void chan_in_init(struct chan_in *in, const struct chan_sink *sink, void *ctx);
/*
 * Takes the next @len bytes of a stream, cut anywhere. Returns 0, -EBADMSG with in->why set, or
 * what a callback returned. After an error it keeps returning that error.
 */
int chan_in_feed(struct chan_in *in, const uint8_t *data, size_t len);
/* Whether the stream is complete: 0, the earlier error, or -ENODATA with in->why set. */
int chan_in_finish(struct chan_in *in);
/* Whether the end mark was seen. */
bool chan_in_ended(const struct chan_in *in);

/* A plain file name: 1 to CHAN_NAME_MAX bytes, printable, no '/', no leading '.'. */
bool chan_name_ok(const char *name, size_t len);

#endif
