/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that occur often, as numbers: a million rows share a handful of names. */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include <stdint.h>

struct name {
	char *text;
	uint32_t id;
};

struct names {
	void *tree;	    /* tsearch tree of struct name */
	struct name **name; /* by id */
	uint32_t count, room;
};

#define NAMES_NONE UINT32_MAX

/* The number of a text, the same for the same text. NAMES_NONE after a message: no memory. */
uint32_t names_id(struct names *n, const char *text);

static inline const char *names_text(const struct names *n, uint32_t id)
{
	return n->name[id]->text;
}

void names_free(struct names *n);

#endif
