// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../core/bench.h"
#include "../core/stop.h"
#include "keys.h"
#include "quota.h"

/* View, read, write and link for the owner: calls work without the keyring being in sight. */
#define RING_PERM (KEY_POS_ALL | KEY_USR_VIEW | KEY_USR_READ | KEY_USR_WRITE | KEY_USR_LINK)
#define HOLDER_PERM (RING_PERM & ~(key_perm_t)KEY_POS_SEARCH)
/* A look at the signal flag and the progress line costs more than a keyctl: not every time. */
#define LOOK_EVERY 256

const char *const keys_release_names[] = { "ring",   "clear",	   "unlink",
					   "revoke", "invalidate", NULL };

void keys_describe(char *desc, uint64_t number)
{
	desc[0] = 'k';
	for (int i = KEYS_DESC_LEN - 1; i > 0; i--, number /= 10)
		desc[i] = (char)('0' + number % 10);
	desc[KEYS_DESC_LEN] = '\0';
}

/* Links of ring i are keys first_of(i) to first_of(i + 1) - 1. */
static uint64_t first_of(const struct keyset *set, uint64_t ring)
{
	uint64_t share = set->planned / set->rings, rest = set->planned % set->rings;

	return ring * share + (ring < rest ? ring : rest);
}

static key_serial_t make_ring(const char *desc, key_perm_t perm)
{
	key_serial_t ring = add_key("keyring", desc, NULL, 0, KEY_SPEC_PROCESS_KEYRING);

	if (ring >= 0 && keyctl_setperm(ring, perm) < 0)
		ring = -1;
	return ring;
}

static int move_ring(key_serial_t ring, key_serial_t from, key_serial_t to)
{
	if (keyctl_link(ring, to) < 0 || keyctl_unlink(ring, from) < 0)
		return sb_err(errno, "moving a keyring");
	return 0;
}

static bool interrupted(struct sb_run *run, uint64_t done)
{
	if (done % LOOK_EVERY)
		return false;
	sb_progress_at(&run->progress, done);
	return sb_stopped();
}

static int add_living(struct keyset *set)
{
	char desc[KEYS_DESC_LEN + 1];
	uint64_t count = quota_living_keys(set->planned);

	/* Before the others: the kernel's slabs hold either living keys or dead ones. */
	while (set->living < count) {
		if (sb_stopped())
			return -EINTR;
		keys_describe(desc, set->living);
		if (add_key("user", desc, "", KEYS_LIVING_PAYLOAD, set->holder) < 0) {
			set->errors++;
			return sb_err(errno, "adding living key %llu of %llu",
				      (unsigned long long)set->living + 1,
				      (unsigned long long)count);
		}
		set->living++;
	}
	return 0;
}

static int fill_ring(struct sb_run *run, struct keyset *set, uint64_t index,
		     const void *payload, uint64_t payload_len)
{
	uint64_t end = first_of(set, index + 1);
	char desc[KEYS_DESC_LEN + 1];

	while (set->keys < end) {
		key_serial_t key;

		if (interrupted(run, set->keys))
			return -EINTR;
		keys_describe(desc, set->keys);
		key = add_key("user", desc, payload, payload_len, set->ring[index]);
		if (key < 0) {
			set->errors++;
			return sb_err(errno, "add_key number %llu of %llu",
				      (unsigned long long)set->keys + 1,
				      (unsigned long long)set->planned);
		}
		set->key[set->keys++] = key;
	}
	return 0;
}

static int make_rings(struct sb_run *run, struct keyset *set, uint64_t rings,
		      const void *payload, uint64_t payload_len)
{
	char desc[KEYS_DESC_LEN + 1];
	int ret;

	set->holder = make_ring("sbholder0", HOLDER_PERM);
	if (set->holder < 0)
		return sb_err(errno, "making the holding keyring");
	ret = add_living(set);
	for (uint64_t i = 0; i < rings && !ret; i++) {
		keys_describe(desc, i);
		set->ring[i] = make_ring(desc, RING_PERM);
		if (set->ring[i] < 0) {
			set->errors++;
			return sb_err(errno, "making keyring %llu of %llu",
				      (unsigned long long)i + 1, (unsigned long long)rings);
		}
		ret = fill_ring(run, set, i, payload, payload_len);
		if (!ret)
			ret = move_ring(set->ring[i], KEY_SPEC_PROCESS_KEYRING, set->holder);
	}
	return ret;
}

int keys_make(struct sb_run *run, struct keyset *set, uint64_t keys, uint64_t rings,
	      uint64_t payload)
{
	char *bytes = calloc(1, payload);
	int ret;

	*set = (struct keyset){ .rings = rings, .planned = keys };
	set->ring = calloc(rings, sizeof(*set->ring));
	set->order = calloc(rings, sizeof(*set->order));
	set->key = calloc(keys, sizeof(*set->key));
	if (!bytes || !set->ring || !set->order || !set->key) {
		free(bytes);
		return sb_err(ENOMEM, "a list of %llu keys", (unsigned long long)keys);
	}
	for (uint64_t i = 0; i < rings; i++)
		set->order[i] = (int32_t)i;
	sb_progress_step(&run->progress, "adding keys", keys);
	ret = make_rings(run, set, rings, bytes, payload);
	free(bytes);
	return ret;
}

int64_t keys_kernel_second(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME_COARSE, &ts);
	return ts.tv_sec;
}

/* Set again when the second turned meanwhile: the kernel adds the timeout to its own "now". */
static int expire_at(key_serial_t key, int64_t second)
{
	int64_t now;

	do {
		now = keys_kernel_second();
		if (now >= second)
			return -ETIME;
		if (keyctl_set_timeout(key, (unsigned int)(second - now)) < 0)
			return -errno;
	} while (keys_kernel_second() != now);
	return 0;
}

/* What is done to every key of a keyring; returns 0 or -errno. */
typedef int (*key_fn)(struct keyset *set, uint64_t ring, uint64_t key, int64_t arg);

static int each_of_ring(struct sb_run *run, struct keyset *set, uint64_t ring, key_fn fn,
			int64_t arg)
{
	for (uint64_t i = first_of(set, ring); i < first_of(set, ring + 1); i++) {
		int ret;

		if (interrupted(run, i))
			return -EINTR;
		ret = fn(set, ring, i, arg);
		if (ret) {
			set->errors++;
			return ret;
		}
	}
	return 0;
}

/* Takes the keyrings in sight one at a time. */
static int each_key(struct sb_run *run, struct keyset *set, key_fn fn, int64_t arg)
{
	for (uint64_t i = 0; i < set->rings; i++) {
		uint64_t ring = (uint64_t)set->order[i];
		int ret = move_ring(set->ring[ring], set->holder, KEY_SPEC_PROCESS_KEYRING);

		if (!ret)
			ret = each_of_ring(run, set, ring, fn, arg);
		if (!ret)
			ret = move_ring(set->ring[ring], KEY_SPEC_PROCESS_KEYRING, set->holder);
		if (ret)
			return ret;
	}
	return 0;
}

static int set_expiry(struct keyset *set, uint64_t ring, uint64_t key, int64_t second)
{
	(void)ring;
	return expire_at(set->key[key], second);
}

int keys_set_expiry(struct sb_run *run, struct keyset *set, int64_t second)
{
	int ret;

	sb_progress_step(&run->progress, "setting timeouts", set->keys);
	ret = each_key(run, set, set_expiry, second);
	if (ret && ret != -EINTR)
		sb_err(ret, "setting timeouts (a longer --expiry gives more time)");
	return ret;
}

static int release_key(struct keyset *set, uint64_t ring, uint64_t key, int64_t how)
{
	long ret;

	if (how == KEYS_UNLINK)
		ret = keyctl_unlink(set->key[key], set->ring[ring]);
	else if (how == KEYS_REVOKE)
		ret = keyctl_revoke(set->key[key]);
	else
		ret = keyctl_invalidate(set->key[key]);
	return ret < 0 ? -errno : 0;
}

static int release_rings(struct keyset *set, enum keys_release how)
{
	for (uint64_t i = 0; i < set->rings; i++) {
		key_serial_t ring = set->ring[set->order[i]];
		long ret = how == KEYS_RING ? keyctl_unlink(ring, set->holder)
					    : keyctl_clear(ring);

		if (ret < 0) {
			set->errors++;
			return -errno;
		}
		if (sb_stopped())
			return -EINTR;
	}
	return 0;
}

int keys_release(struct sb_run *run, struct keyset *set, enum keys_release how)
{
	int ret;

	sb_progress_step(&run->progress, "letting keys go", set->keys);
	if (how == KEYS_RING || how == KEYS_CLEAR)
		ret = release_rings(set, how);
	else
		ret = each_key(run, set, release_key, how);
	/* A revoked key keeps its links: key_is_dead() does not count it in. */
	if (!ret && how == KEYS_REVOKE)
		ret = release_rings(set, KEYS_CLEAR);
	if (ret && ret != -EINTR)
		sb_err(ret, "letting keys go (%s)", keys_release_names[how]);
	return ret;
}

void keys_drop(struct keyset *set)
{
	/* Links go with the keyrings; keys that the collector has not seen go with their links.
	 */
	for (uint64_t i = 0; set->ring && i < set->rings; i++)
		if (set->ring[i] > 0)
			keyctl_unlink(set->ring[i], KEY_SPEC_PROCESS_KEYRING);
	if (set->holder > 0) {
		keyctl_clear(set->holder);
		keyctl_unlink(set->holder, KEY_SPEC_PROCESS_KEYRING);
	}
	free(set->ring);
	free(set->order);
	free(set->key);
	*set = (struct keyset){ 0 };
}

static void shuffle(int32_t *item, uint64_t count, uint64_t *random)
{
	for (uint64_t i = count; i > 1; i--) {
		uint64_t j = sb_random(random) % i;
		int32_t other = item[j];

		item[j] = item[i - 1];
		item[i - 1] = other;
	}
}

void keys_shuffle(struct keyset *set, uint64_t *random)
{
	/* A key stays with its keyring, so keys are shuffled inside each share. */
	for (uint64_t i = 0; i < set->rings; i++)
		shuffle(set->key + first_of(set, i), first_of(set, i + 1) - first_of(set, i),
			random);
	shuffle(set->order, set->rings, random);
}
