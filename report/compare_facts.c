// SPDX-License-Identifier: GPL-2.0-only
#include "compare_facts.h"

#include <string.h>

/* Figures from different values of these measure different things. */
static const char *const always[] = { "accelerator", "clock",	"hz",
				      "preemption",  "profile", "cpus",
				      "cpu_model",   "machine", NULL };

/* In virtual time these make the instructions that are counted, and so does every file that the
 * guest was given: sha256_qemu, sha256_initramfs, firmware, bundles.
 */
static const char *const in_virtual_time[] = { "qemu_version", "memory", NULL };

/* These differ between any two kernels or runs, or are said by another: nothing to remark on.
 */
static const char *const ignored[] = { "kernel",	"kernel_release", "kernel_version",
				       "command_line",	"start",	  "end_finished",
				       "sha256_kernel", "sha256_added",	  "kernel_cmdline",
				       "seed",		"jobs",		  "end_interrupted",
				       "parallel",	"arch",		  NULL };

static bool listed(const char *const *list, const char *key)
{
	for (; *list; list++)
		if (!strcmp(*list, key))
			return true;
	return false;
}

static bool given_file(const char *key)
{
	return !strncmp(key, "sha256_", 7);
}

static bool known(const char *value)
{
	return strcmp(value, "unknown") != 0;
}

/* What one side does not know may be the same: worth a remark, and nothing to refuse for. */
static struct compare_note **list_for(struct comparison *c, const char *key, const char *here,
				      const char *there)
{
	if (!known(here) || !known(there))
		return &c->differences;
	if (listed(always, key) ||
	    (c->rules.exact && (listed(in_virtual_time, key) || given_file(key))))
		return &c->obstacles;
	return &c->differences;
}

static bool noted(const struct compare_note *note, const char *text)
{
	for (; note; note = note->next)
		if (!strcmp(note->text, text))
			return true;
	return false;
}

int compare_facts(struct comparison *c, uint32_t base, uint32_t new)
{
	int ret = 0;

	for (uint32_t i = 0; i < c->base.facts && !ret; i++) {
		const struct fact *f = &c->base.fact[i];
		const char *key = names_text(&c->names, f->key);
		const char *here = names_text(&c->names, f->value);
		struct compare_note **list;
		const char *there;
		char text[512];

		if ((f->kernel != base && f->kernel != NAMES_NONE) || listed(ignored, key))
			continue;
		there = side_fact(c->other, new, key);
		if (!there || !strcmp(here, there))
			continue;
		snprintf(text, sizeof(text), "%s: %s in the base, %s in the new", key, here,
			 there);
		/* Kernels of one run differ in the same things: once is enough. */
		list = list_for(c, key, here, there);
		if (!noted(*list, text))
			ret = compare_note(list, "%s", text);
	}
	return ret;
}

bool compare_allowed(const char *allow, const char *note)
{
	size_t key = strcspn(note, ": ");

	for (const char *at = allow; at && *at; at += strcspn(at, ","), at += *at == ',') {
		size_t len = strcspn(at, ",");

		if ((len == 3 && !strncmp(at, "all", 3)) ||
		    (len == key && !strncmp(at, note, key)))
			return true;
	}
	return false;
}
