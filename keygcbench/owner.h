/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who the keys belong to. The kernel keeps a key's quota in 16 bits (quotalen in struct key,
 * include/linux/key.h), so a keyring of more than 16,380 links takes more from its owner's
 * quota than it ever gives back: with one keyring of 50,000 links, 196,608 bytes are gone
 * until the next boot. A run as root therefore adds its keys as a user of its own, whose
 * account the kernel drops together with the last key. It also makes /proc/key-users
 * speak of this run's keys alone.
 */
#ifndef KEYGC_OWNER_H
#define KEYGC_OWNER_H

#include <sys/types.h>

/*
 * Picks a user without keys and takes its file system identity, which is what keys are
 * charged to. Returns that user; the present one without root, or where no other can be had.
 */
uid_t owner_take(void);

/* Back to the effective user, for files that only root may open; and to the owner again. */
void owner_suspend(void);
void owner_resume(uid_t owner);

#endif
