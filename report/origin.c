// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "origin.h"
#include "readcsv.h"

static int on_fact(char **f, unsigned long line, void *data)
{
	struct origin *o = data;

	(void)line;
	if (!strcmp(f[0], "kernel_release"))
		snprintf(o->release, sizeof(o->release), "%s", f[1]);
	else if (!strcmp(f[0], "clock"))
		snprintf(o->clock, sizeof(o->clock), "%s", f[1]);
	else if (!strcmp(f[0], "accelerator"))
		snprintf(o->accelerator, sizeof(o->accelerator), "%s", f[1]);
	return 0;
}

int origin_find(const struct dataset *d, const char *kernel, struct origin *o)
{
	static const char *const columns[] = { "key", "value", NULL };

	*o = (struct origin){ "unknown release", "unknown", "unknown" };
	for (unsigned int i = 0; i < d->cells; i++) {
		char *path;
		int ret;

		if (strcmp(d->cell[i].kernel, kernel))
			continue;
		path = dataset_path(d, d->cell[i].dir, "env.csv");
		if (!path)
			return -ENOMEM;
		ret = readcsv(path, columns, on_fact, o);
		free(path);
		if (ret != -ENOENT)
			return ret;
	}
	return 0;
}
