/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of user keys linked to keyrings: making them, and the ways in which they are let go. */
#ifndef KEYGC_KEYS_H
#define KEYGC_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include <keyutils.h>

struct sb_run;

/* "k00000042": all descriptions have one length, so that the quota can be worked out. */
#define KEYS_DESC_LEN 9
#define KEYS_MOST 99999999 /* distinct descriptions */
#define KEYS_LIVING_PAYLOAD 1

enum keys_release {
	KEYS_RING,   /* drop the keyrings: what a logout does */
	KEYS_CLEAR,  /* clear them */
	KEYS_UNLINK, /* unlink key by key */
	KEYS_REVOKE, /* revoke key by key, then clear the keyrings */
	KEYS_INVALIDATE,
};

extern const char *const keys_release_names[];

/*
 * Keyrings hang from a holding keyring that cannot be searched. Every keyctl on a key looks
 * for the key in all keyrings the process can search (lookup_user_key, process_keys.c), so
 * with 2,000 keyrings in sight each call would take 2,000 look-ups: only the keyring at work
 * is put in sight, in the process keyring. Dropped by the kernel if the process dies.
 *
 * The holder also has keys that live on. The collector takes dead keys out of a red-black
 * tree ordered by random serial numbers, and what that costs depends on where in it the
 * survivors are. With the half dozen keys of an idle machine it is a matter of luck and moves
 * gc_cpu by 1 %; with many it averages out.
 */
struct keyset {
	key_serial_t holder;
	key_serial_t *ring;
	int32_t *order; /* in which keyrings are let go */
	uint64_t rings;
	key_serial_t *key;
	uint64_t keys; /* made so far */
	uint64_t planned;
	uint64_t living; /* made so far */
	uint64_t errors; /* failed calls */
};

/* Writes a description; desc has room for KEYS_DESC_LEN + 1. */
void keys_describe(char *desc, uint64_t number);

/*
 * Makes rings keyrings and keys keys of payload bytes, in even shares. Stops at the first
 * failure and on a signal. Returns 0, -EINTR, or -errno after a message; the set is to be
 * dropped in any case.
 */
int keys_make(struct sb_run *run, struct keyset *set, uint64_t keys, uint64_t rings,
	      uint64_t payload);

/* The kernel's idea of the present second: ktime_get_real_seconds() is as coarse as this. */
int64_t keys_kernel_second(void);

/*
 * Gives every key one and the same expiry second (CLOCK_REALTIME): expiry times that straddle
 * a second would fall into the kernel's lost-expiry hole. Returns 0, -EINTR, or -ETIME after
 * a message when the second came before the last key had its timeout.
 */
int keys_set_expiry(struct sb_run *run, struct keyset *set, int64_t second);

/* Lets all keys go. Returns 0, -EINTR, or -errno after a message. */
int keys_release(struct sb_run *run, struct keyset *set, enum keys_release how);

/* Drops whatever is left and frees the set; no message, any number of times. */
void keys_drop(struct keyset *set);

/* Shuffles the order in which keyrings and keys will be let go. */
void keys_shuffle(struct keyset *set, uint64_t *random);

#endif
