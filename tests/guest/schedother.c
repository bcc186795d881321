// SPDX-License-Identifier: GPL-2.0-only
/* Makes a thread SCHED_OTHER: schedother NAME. For kernel threads that make themselves
 * real-time. */
#include <ctype.h>
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_name(const char *pid, const char *name)
{
	char path[300], line[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return !strcmp(line, name);
}

int main(int argc, char **argv)
{
	const struct sched_param none = { .sched_priority = 0 };
	struct dirent *entry;
	DIR *proc = argc == 2 ? opendir("/proc") : NULL;
	int found = 0;

	if (!proc) {
		fputs("schedother: needs a name, and /proc\n", stderr);
		return 2;
	}
	while ((entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !has_name(entry->d_name, argv[1]))
			continue;
		if (sched_setscheduler(atoi(entry->d_name), SCHED_OTHER, &none)) {
			perror("schedother: sched_setscheduler");
			break;
		}
		found = 1;
	}
	closedir(proc);
	if (!found)
		fprintf(stderr, "schedother: no %s was changed\n", argv[1]);
	return found ? 0 : 1;
}
