// SPDX-License-Identifier: GPL-2.0-only
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "../core/msg.h"

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int folder_read(struct folder *f, const char *path)
{
	f->entry = NULL;
	f->entries = scandir(path, &f->entry, visible, alphasort);
	if (f->entries >= 0)
		return 0;
	f->entries = 0;
	return errno == ENOENT || errno == ENOTDIR ? 0 : sb_err(errno, "%s", path);
}

void folder_free(struct folder *f)
{
	for (int i = 0; i < f->entries; i++)
		free(f->entry[i]);
	free(f->entry);
	*f = (struct folder){ 0 };
}
