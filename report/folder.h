/* SPDX-License-Identifier: GPL-2.0-only */
/* What is in a folder, whatever signs there are in its name: a pattern would give them a
 * meaning. */
#ifndef REPORT_FOLDER_H
#define REPORT_FOLDER_H

struct dirent;

struct folder {
	struct dirent **entry; /* by name, without those that begin with a dot */
	int entries;
};

/*
 * A folder that is not there is an empty one. Returns 0 or -errno after a message; to be freed
 * in any case.
 */
int folder_read(struct folder *f, const char *path);
void folder_free(struct folder *f);

#endif
