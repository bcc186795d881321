/* SPDX-License-Identifier: GPL-2.0-only */
/* How far a phase is: a live line on a terminal, one line per phase elsewhere. All on stderr.
 */
#ifndef SB_PROGRESS_H
#define SB_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sb_progress {
	FILE *live; /* terminal for the live line, or NULL */
	bool quiet;
	const char *bench, *phase, *step;
	uint64_t total;
	uint64_t step_began, phase_began, shown; /* ns */
};

/*
 * The live line goes to stderr if that is a terminal; with STALLBENCH_TTY in the environment
 * to the controlling terminal, where stderr is a file that shall stay readable.
 */
void sb_progress_phase(struct sb_progress *p, const char *bench, const char *phase, bool quiet);

/* A step inside the phase: "adding keys", of total items (0 = unknown). */
void sb_progress_step(struct sb_progress *p, const char *step, uint64_t total);

/* May be called as often as one likes: draws at most five times a second. */
void sb_progress_at(struct sb_progress *p, uint64_t done);

/* Ends the phase; outcome is a few words ("done", "skipped"). */
void sb_progress_end(struct sb_progress *p, const char *outcome);

/* Clears the live line, so that a message does not land in the middle of it. */
void sb_progress_clear(struct sb_progress *p);

#endif
