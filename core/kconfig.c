// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/utsname.h>

#include <sha2.h>
#include <zlib.h>

#include "kconfig.h"

/* Kernel configurations are about 300 KiB; more than this is something else. */
#define CONFIG_MAX (4 << 20)

/* Reads plain and gzipped files alike; returns NULL when there is nothing to read. */
static char *read_config(const char *path, unsigned long *len)
{
	gzFile in = gzopen(path, "re");
	char *text;
	int got;

	if (!in)
		return NULL;
	text = malloc(CONFIG_MAX + 1);
	got = text ? gzread(in, text, CONFIG_MAX) : -1;
	gzclose(in);
	if (got <= 0) {
		free(text);
		return NULL;
	}
	text[got] = '\0';
	*len = (unsigned long)got;
	return text;
}

static bool has(const char *text, const char *option)
{
	char line[64];

	snprintf(line, sizeof(line), "\n%s=y\n", option);
	return strstr(text, line);
}

static const char *built_preemption(const char *text)
{
	static const struct {
		const char *option, *word;
	} models[] = {
		{ "CONFIG_PREEMPT_RT", "rt" },	   { "CONFIG_PREEMPT_LAZY", "lazy" },
		{ "CONFIG_PREEMPT", "full" },	   { "CONFIG_PREEMPT_VOLUNTARY", "voluntary" },
		{ "CONFIG_PREEMPT_NONE", "none" },
	};

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (has(text, models[i].option))
			return models[i].word;
	return "unknown";
}

/* With PREEMPT_DYNAMIC the boot decides: debugfs shows "none voluntary (full)". */
static bool running_preemption(char *word, size_t len)
{
	char line[128];
	char *open, *close;
	FILE *f = fopen("/sys/kernel/debug/sched/preempt", "re");

	if (!f)
		return false;
	open = fgets(line, sizeof(line), f) ? strchr(line, '(') : NULL;
	fclose(f);
	close = open ? strchr(open, ')') : NULL;
	if (!close)
		return false;
	*close = '\0';
	snprintf(word, len, "%s", open + 1);
	return true;
}

void sb_kconfig_parse(struct sb_kconfig *k, const char *text, unsigned long len)
{
	const char *hz = strstr(text, "\nCONFIG_HZ=");

	if (hz)
		snprintf(k->hz, sizeof(k->hz), "%ld",
			 strtol(hz + strlen("\nCONFIG_HZ="), NULL, 10));
	snprintf(k->preemption, sizeof(k->preemption), "%s%s", built_preemption(text),
		 has(text, "CONFIG_PREEMPT_DYNAMIC") ? " (dynamic)" : "");
	SHA256Data((const uint8_t *)text, len, k->sha256);
}

void sb_kconfig_read(struct sb_kconfig *k)
{
	struct utsname uts;
	char paths[3][128] = { "/proc/config.gz" };
	char *text = NULL;
	unsigned long len = 0;
	char word[16];

	*k = (struct sb_kconfig){ "unknown", "unknown", "unknown" };
	uname(&uts);
	snprintf(paths[1], sizeof(paths[1]), "/boot/config-%s", uts.release);
	snprintf(paths[2], sizeof(paths[2]), "/lib/modules/%s/config", uts.release);
	for (int i = 0; i < 3 && !text; i++)
		text = read_config(paths[i], &len);
	if (text)
		sb_kconfig_parse(k, text, len);
	if (running_preemption(word, sizeof(word)))
		snprintf(k->preemption, sizeof(k->preemption), "%s (dynamic)", word);
	free(text);
}
