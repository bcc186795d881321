/* SPDX-License-Identifier: GPL-2.0-only */
/* Parameters and state that the phases of keygcbench share. */
#ifndef KEYGCBENCH_H
#define KEYGCBENCH_H

#include "../core/bench.h"
#include "../core/wqtrace.h"
#include "keys.h"
#include "owner.h"
#include "quota.h"

struct keygc_params {
	struct sb_list keys;
	uint64_t keyrings;
	uint64_t payload;      /* bytes */
	int release;	       /* enum keys_release */
	uint64_t expiry;       /* s; 0 = as short as setting the timeouts allows */
	double probe_interval; /* us */
	double timeout;	       /* s */
	uint64_t rounds;       /* of phase expiry_lost */
	int trace;	       /* 0 = yes, 1 = no */
};

struct keygc_state {
	uid_t owner; /* of the keys */
	struct quota quota;
	struct sb_wqtrace *trace; /* NULL = no gc_* metrics here */
	struct keyset set;	  /* what exists right now, for clean-up on any exit */
	uint64_t baseline;	  /* keys of this user before the first of ours */
	uint64_t make_ns;	  /* how long making the set took */
	uint64_t random;
};

static inline struct keygc_params *keygc_params(struct sb_run *run)
{
	return run->params;
}

static inline struct keygc_state *keygc_state(struct sb_run *run)
{
	return run->state;
}

/*
 * Makes sure that the keys of a round fit the owner's quota, raising the limits as root.
 * Returns 0, or -EINVAL after a message that names both numbers and the limit that binds.
 */
int room_make(struct sb_run *run, uint64_t keys);

int phase_unused(struct sb_run *run);
int phase_expired(struct sb_run *run);
int phase_expiry_lost(struct sb_run *run);

#endif
