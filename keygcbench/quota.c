// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/sysctl.h"
#include "keys.h"
#include "quota.h"

#define LINK_BYTES 4 /* KEYQUOTA_LINK_BYTES, include/linux/key.h */
#define PROBE_RINGS 2
#define HOLDING_RINGS 1
/* Bounds of the probes' share: enough samples from few keys, little disturbance from many. */
#define PROBE_KEYS_LEAST 16
#define PROBE_KEYS_MOST 2000
/* One living key for so many that are let go. */
#define LIVING_SHARE 16

uint64_t quota_probe_keys(uint64_t keys)
{
	uint64_t probes = keys / 10;

	if (probes < PROBE_KEYS_LEAST)
		return PROBE_KEYS_LEAST;
	return probes > PROBE_KEYS_MOST ? PROBE_KEYS_MOST : probes;
}

uint64_t quota_living_keys(uint64_t keys)
{
	return keys / LIVING_SHARE;
}

struct quota_need quota_need(const struct quota_plan *plan, uint64_t keys)
{
	uint64_t probes = quota_probe_keys(keys), living = quota_living_keys(keys);
	/* Rings hang from a holding ring; each may for a moment hang from two. */
	uint64_t rings = plan->keyrings + PROBE_RINGS + HOLDING_RINGS;
	uint64_t key_bytes = KEYS_DESC_LEN + 1 + plan->payload + LINK_BYTES;

	return (struct quota_need){
		.keys = keys + probes + living + rings,
		.bytes = (keys + probes) * key_bytes + probes * LINK_BYTES +
			 living * (KEYS_DESC_LEN + 1 + KEYS_LIVING_PAYLOAD + LINK_BYTES) +
			 rings * (KEYS_DESC_LEN + 1 + 2 * LINK_BYTES),
	};
}

static bool fits(const struct quota *q, const struct quota_plan *plan, uint64_t keys)
{
	struct quota_need need = quota_need(plan, keys);

	return q->keys + need.keys <= q->max_keys && q->bytes + need.bytes <= q->max_bytes;
}

uint64_t quota_fit(const struct quota *q, const struct quota_plan *plan)
{
	uint64_t low = 0, high = q->max_keys;

	/* The probes' share bends the need, so search instead of solving. */
	while (low < high) {
		uint64_t middle = low + (high - low + 1) / 2;

		if (fits(q, plan, middle))
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

bool quota_binds_on_keys(const struct quota *q, const struct quota_need *need)
{
	return q->keys + need->keys > q->max_keys;
}

bool quota_parse(struct quota *q, const char *text, uid_t uid)
{
	while (*text) {
		unsigned int row_uid;
		int64_t nkeys, keys, max_keys, bytes, max_bytes;

		/* uid: usage nkeys/nikeys qnkeys/maxkeys qnbytes/maxbytes
		 * (security/keys/proc.c) */
		if (sscanf(text,
			   " %u: %*d %" SCNd64 "/%*d %" SCNd64 "/%" SCNd64 " %" SCNd64
			   "/%" SCNd64,
			   &row_uid, &nkeys, &keys, &max_keys, &bytes, &max_bytes) == 6 &&
		    row_uid == uid) {
			*q = (struct quota){ uid,
					     (uint64_t)nkeys,
					     (uint64_t)keys,
					     (uint64_t)max_keys,
					     (uint64_t)bytes,
					     (uint64_t)max_bytes };
			return true;
		}
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return false;
}

static int read_limits(struct quota *q, uid_t uid)
{
	int ret;

	*q = (struct quota){ .uid = uid };
	ret = sb_sysctl_read(uid ? "kernel/keys/maxkeys" : "kernel/keys/root_maxkeys",
			     &q->max_keys);
	if (ret)
		return ret;
	return sb_sysctl_read(uid ? "kernel/keys/maxbytes" : "kernel/keys/root_maxbytes",
			      &q->max_bytes);
}

int quota_read(struct quota *q, uid_t uid)
{
	FILE *f = fopen("/proc/key-users", "re");
	char line[256];
	bool found = false;
	int err;

	if (!f)
		return -errno;
	errno = 0;
	while (!found && fgets(line, sizeof(line), f))
		found = quota_parse(q, line, uid);
	err = ferror(f) ? (errno ? errno : EIO) : 0;
	fclose(f);
	if (err)
		return -err;
	return found ? 0 : read_limits(q, uid);
}

int quota_beyond(uid_t uid, uint64_t floor, uint64_t *count)
{
	struct quota q = { 0 };
	int ret = quota_read(&q, uid);

	if (ret)
		return sb_err(ret, "reading /proc/key-users");
	*count = q.nkeys > floor ? q.nkeys - floor : 0;
	return 0;
}
