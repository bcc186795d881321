// SPDX-License-Identifier: GPL-2.0-only
#include "readback.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"

#define SYSCTL "sysctl."

int readback_path(const char *name, char *path, unsigned long size)
{
	const char *dot = strchr(name, '.');
	int len;

	if (!dot || dot == name || !dot[1])
		return -EINVAL;
	if (!strncmp(name, SYSCTL, strlen(SYSCTL))) {
		len = snprintf(path, size, "/proc/sys/%s", dot + 1);
		for (char *c = path; len > 0 && (unsigned long)len < size && *c; c++)
			if (*c == '.')
				*c = '/';
	} else {
		len = snprintf(path, size, "/sys/module/%.*s/parameters/%s", (int)(dot - name),
			       name, dot + 1);
		/* Module names have underscores, whatever the command line said. */
		for (char *c = path; len > 0 && (unsigned long)len < size && *c; c++)
			if (*c == '-')
				*c = '_';
	}
	return len < 0 || (unsigned long)len >= size ? -ENAMETOOLONG : 0;
}

static bool number(const char *text, long long *value)
{
	char *end;

	errno = 0;
	*value = strtoll(text, &end, 0);
	return end != text && !*end && !errno;
}

/* The words of kstrtobool(). */
static int truth(const char *text)
{
	if (!strcasecmp(text, "y") || !strcasecmp(text, "yes") || !strcasecmp(text, "on") ||
	    !strcasecmp(text, "true") || !strcmp(text, "1"))
		return 1;
	if (!strcasecmp(text, "n") || !strcasecmp(text, "no") || !strcasecmp(text, "off") ||
	    !strcasecmp(text, "false") || !strcmp(text, "0"))
		return 0;
	return -1;
}

bool readback_same(const char *asked, const char *shown)
{
	long long a, b;

	if (!strcmp(asked, shown))
		return true;
	if (number(asked, &a) && number(shown, &b))
		return a == b;
	return truth(asked) >= 0 && truth(asked) == truth(shown);
}

static int check_one(const char *name, const char *asked)
{
	char path[256], shown[128] = "";
	FILE *file;
	int err = readback_path(name, path, sizeof(path));

	if (err)
		return sb_err(err, "parameter %s", name);
	file = fopen(path, "re");
	if (!file)
		return sb_err(errno, "parameter %s did not take: %s", name, path);
	if (!fgets(shown, sizeof(shown), file))
		err = sb_err(ferror(file) ? errno : ENODATA, "%s", path);
	fclose(file);
	shown[strcspn(shown, "\n")] = '\0';
	if (!err && !readback_same(asked, shown)) {
		sb_msg("parameter %s did not take: asked for %s, %s says %s", name, asked, path,
		       shown);
		err = -EINVAL;
	}
	return err;
}

int readback_check(char *parameters)
{
	char *line, *value;
	int err = 0, ret;

	while ((line = strsep(&parameters, "\n"))) {
		value = strchr(line, '=');
		if (!value)
			continue;
		*value++ = '\0';
		ret = check_one(line, value);
		if (!err)
			err = ret;
	}
	return err;
}
