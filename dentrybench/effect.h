/* SPDX-License-Identifier: GPL-2.0-only */
/* What a pile of negative dentries does to one call: its time with none and with all of them.
 */
#ifndef DENTRY_EFFECT_H
#define DENTRY_EFFECT_H

#include <stdint.h>

struct sb_run;
struct dentry_dirs;

/* Looks run.scale names up that nobody has looked for before. Returns 0 or -errno. */
int dentry_effect_fill(struct sb_run *run, const struct dentry_dirs *dirs);

/* The time of one call, in ns, as a sample of a metric in us. Returns 0 or -ENOMEM. */
int dentry_effect_add(struct sb_run *run, const char *metric, uint64_t ns);

/* A call on directories; adds its time to ns. Returns 0 or -errno after a message. */
typedef int dentry_effect_call(struct sb_run *run, struct dentry_dirs *dirs, uint64_t *ns);

/*
 * Calls with directories in which no name was looked up (stall_none), then with others and
 * run.scale negative dentries in them (stall), and sees how many the call frees (released).
 * Returns 0, -SB_SKIP, -EINTR or -errno after a message.
 */
int dentry_effect_run(struct sb_run *run, dentry_effect_call *call);

#endif
