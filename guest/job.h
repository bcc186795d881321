/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A job: the command a guest runs, described by files that boot-kernel appends to the
 * initramfs.
 *
 *	argv     the command and its arguments, each ended by a NUL: nothing needs quoting
 *	env      NAME=VALUE, each ended by a NUL
 *	modules  kernel modules to load first, one path a line (optional)
 *	parameters  PARAM=VALUE, one a line: what the kernel must have booted with (optional)
 *	scratch  image of a file system to mount first (optional)
 */
#ifndef GUEST_JOB_H
#define GUEST_JOB_H

#include <stdint.h>

#include "chan.h"

struct job {
	char *argv_text, *env_text; /* what argv and env point into */
	char **argv, **env;
	char *modules, *parameters;
	char scratch[256]; /* path of the image, whether there is one or not */
};

/* Reads the job in folder @dir. Returns 0 or -errno after a message. */
int job_read(struct job *job, const char *dir);
void job_free(struct job *job);

/* The value of an environment variable of the job, or NULL. */
const char *job_env(const struct job *job, const char *name);

/*
 * Spins for a number of turns that depends on @seed alone, so that boots sample the phase of
 * the timer tick and a boot can still be repeated exactly. 0 does not spin.
 */
void job_perturb(uint64_t seed);

/*
 * Runs the command in folder @dir, stdout and stderr going to the files stdout.log and
 * stderr.log there, and waits for it. It fails without being run when a parameter of the job
 * did not take, or when it has no scratch file system though the job brings one. Returns what
 * chan_put_end() takes, or -errno after a message.
 */
int job_run(const struct job *job, const char *dir);

/*
 * Sends every regular file of @dir, in the order of their names. What is not a plain file with
 * an acceptable name is left out with a message. Returns 0 or -errno after a message.
 */
int job_ship(struct chan_out *out, const char *dir);

#endif
