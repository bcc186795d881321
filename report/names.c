// SPDX-License-Identifier: GPL-2.0-only
#include "names.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static struct name *add(struct names *n, const char *text)
{
	struct name *new = malloc(sizeof(*new));

	if (n->count == n->room) {
		uint32_t room = n->room ? 2 * n->room : 256;
		struct name **grown = reallocarray(n->name, room, sizeof(*grown));

		if (!grown)
			goto fail;
		n->name = grown;
		n->room = room;
	}
	if (!new)
		goto fail;
	*new = (struct name){ strdup(text), n->count };
	if (!new->text || !tsearch(new, &n->tree, by_text)) {
		free(new->text);
		goto fail;
	}
	n->name[n->count++] = new;
	return new;
fail:
	free(new);
	return NULL;
}

uint32_t names_id(struct names *n, const char *text)
{
	const struct name key = { (char *)text, 0 };
	struct name **found = tfind(&key, &n->tree, by_text);
	struct name *name = found ? *found : add(n, text);

	if (!name)
		sb_err(ENOMEM, "reading results");
	return name ? name->id : NAMES_NONE;
}

static void keep(void *node)
{
	(void)node;
}

void names_free(struct names *n)
{
	tdestroy(n->tree, keep);
	for (uint32_t i = 0; i < n->count; i++) {
		free(n->name[i]->text);
		free(n->name[i]);
	}
	free(n->name);
	*n = (struct names){ 0 };
}
