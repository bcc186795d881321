/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of the key collector share: counting keys, waiting for them. */
#ifndef KEYHELP_H
#define KEYHELP_H

#include "help.h"

#include <keyutils.h>

/*
 * Keys of this user, alive or waiting to be collected. /proc/keys would do too, but reading it
 * holds the collector's lock.
 */
long count_keys(void);

/* Waits until no more than target keys are left; false when that takes longer than limit. */
bool wait_keys(long target, double limit);

/* Waits until the count has not changed for so many seconds, and returns it. */
long settled_keys(double quiet);

/* Keys are collected as soon as they are dead, instead of after five minutes; undone at exit.
 */
void collect_at_once(void);

/* Shared by all threads, so it has to be there before the first of them. */
void make_process_keyring(void);

/* The module keytype.ko: its key type, and its parameters. */
#define KEYTYPE "stallbench"
#define KEYTYPE_PARAMETERS "/sys/module/keytype/parameters/"
void load_keytype(const char *module);
void set_keytype(const char *parameter, const char *value);

key_serial_t new_key(const char *type, const char *desc, key_serial_t ring);
key_serial_t new_ring(const char *desc, key_serial_t ring);

/*
 * Another process, with keyrings of its own, that does child(arg) and then nothing until it is
 * stopped; it dies with this one, whatever kills that. Returns its id.
 */
int start_child(void (*child)(void *arg), void *arg);
void stop_child(int pid);

/*
 * A process that owns so many keys and does nothing else. They make a pass of the collector
 * long: what happens behind its back then really does. Out of sight of the caller's keyrings,
 * where each look-up of a key would search them.
 */
int start_ballast(long keys, double limit); /* to be stopped by stop_child() */

#endif
