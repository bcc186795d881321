// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "owner.h"
#include "quota.h"

/* Far from the ranges that distributions and containers hand out. */
#define FIRST_UID 1900000000U
#define TRIES 100U

/* setfsuid reports no failure: it returns what was in force before, whatever came of it. */
static bool set(uid_t uid)
{
	setfsuid(uid);
	return (uid_t)setfsuid((uid_t)-1) == uid;
}

uid_t owner_take(void)
{
	if (geteuid())
		return geteuid();
	for (uid_t i = 0; i < TRIES; i++) {
		uid_t uid = FIRST_UID + ((uid_t)getpid() + i) % 1000000;
		struct quota q;

		if (quota_read(&q, uid) || q.nkeys)
			continue;
		if (set(uid))
			return uid;
	}
	set(geteuid());
	return geteuid();
}

void owner_suspend(void)
{
	setfsuid(geteuid());
}

void owner_resume(uid_t owner)
{
	setfsuid(owner);
}
