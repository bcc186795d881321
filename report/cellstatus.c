// SPDX-License-Identifier: GPL-2.0-only
#include "cellstatus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"

int cell_status(char word[CELL_STATUS_SIZE], const char *dir, const char *cell)
{
	char *path;
	FILE *f;
	int ret = 0;

	if (asprintf(&path, "%s/%s/status", dir, cell) < 0)
		return sb_err(ENOMEM, "a path in %s", dir);
	f = fopen(path, "re");
	snprintf(word, CELL_STATUS_SIZE, "%s", f ? "incomplete" : "not run");
	if (!f && errno != ENOENT)
		ret = sb_err(errno, "cannot read %s", path);
	if (f && fscanf(f, "%31[a-z]", word) != 1)
		snprintf(word, CELL_STATUS_SIZE, "incomplete");
	if (f && ferror(f))
		ret = sb_err(EIO, "reading %s", path);
	if (f)
		fclose(f);
	free(path);
	return ret;
}

bool cell_ended_well(const char *word)
{
	return !strcmp(word, "pass") || !strcmp(word, "skip");
}
