/* SPDX-License-Identifier: GPL-2.0-only */
/* How many keys a user may have, how many exist, and how many more would fit. */
#ifndef KEYGC_QUOTA_H
#define KEYGC_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The user's row of /proc/key-users. A key counts in nkeys until it has been destroyed. */
struct quota {
	uid_t uid;
	uint64_t nkeys;		 /* existing, dead ones included */
	uint64_t keys, max_keys; /* charged against the quota, and its limit */
	uint64_t bytes, max_bytes;
};

/* What a run is going to add, for a given number of keys. */
struct quota_plan {
	uint64_t keyrings;
	uint64_t payload; /* bytes of one key */
};

struct quota_need {
	uint64_t keys; /* keys, those that live on, and keyrings together */
	uint64_t bytes;
};

/*
 * The need of a run with so many keys: every key costs its description, an end, its payload
 * and 4 bytes for its link (KEYQUOTA_LINK_BYTES); keyrings the same without payload; the
 * probes' keys and those that live on come on top.
 */
struct quota_need quota_need(const struct quota_plan *plan, uint64_t keys);

/* Keys that the probes of a run with so many keys may add. */
uint64_t quota_probe_keys(uint64_t keys);

/* Keys that outlive a collection of so many keys, see struct keyset. */
uint64_t quota_living_keys(uint64_t keys);

/* How many keys a user has beyond floor, dead ones included. Returns 0 or -errno after a
 * message.
 */
int quota_beyond(uid_t uid, uint64_t floor, uint64_t *count);

/* The largest number of keys whose need fits what is left of the quota; 0 when none does. */
uint64_t quota_fit(const struct quota *q, const struct quota_plan *plan);

/* Whether the need of so many keys goes beyond the limit on keys (else beyond that on bytes).
 */
bool quota_binds_on_keys(const struct quota *q, const struct quota_need *need);

/*
 * Reads the row of a user; one without keys has none, and gets zeros and the limits from
 * /proc/sys. Returns 0 or -errno, without a message.
 */
int quota_read(struct quota *q, uid_t uid);

/* The same from the text of /proc/key-users; false when the user has no row. For tests, too. */
bool quota_parse(struct quota *q, const char *text, uid_t uid);

#endif
