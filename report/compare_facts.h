/* SPDX-License-Identifier: GPL-2.0-only */
/* Two environments held against one another: what forbids a comparison, what only differs. */
#ifndef REPORT_COMPARE_FACTS_H
#define REPORT_COMPARE_FACTS_H

#include "compare.h"

/*
 * Adds an obstacle for each fact that must be equal and is not, and a difference for each other
 * one. A fact that one side does not have forbids nothing, and one that it calls "unknown" is
 * a difference. base and new are kernels. Returns 0 or -ENOMEM after a message.
 */
int compare_facts(struct comparison *c, uint32_t base, uint32_t new);

/* Whether --allow, "clock,hz" say, names the fact that the note is about. */
bool compare_allowed(const char *allow, const char *note);

/* Appends a line to a list of notes. Returns 0 or -ENOMEM after a message. */
int compare_note(struct compare_note **list, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
