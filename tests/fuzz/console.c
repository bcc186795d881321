// SPDX-License-Identifier: GPL-2.0-only
/*
 * The console scanner, with the patterns that guests are judged by: it finds the same wherever
 * the bytes are cut, at most one finding a line, in lines that can be printed.
 */
#include <ctype.h>
#include <string.h>

#include "fuzz.h"
#include "../../guest/console.h"

struct seen {
	uint64_t line, lines; /* of the last finding; that there can be */
	uint64_t sum;	      /* of all findings */
};

static void add(struct seen *s, const void *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		s->sum = (s->sum ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
}

static int on_found(void *ctx, const struct console_finding *f)
{
	struct seen *s = ctx;
	size_t len = strlen(f->text);

	PROMISE(f->kind < CONSOLE_KINDS && f->kind != CONSOLE_BENIGN);
	PROMISE(f->line > s->line && f->line <= s->lines);
	PROMISE(len > 0 && len <= CONSOLE_LINE_MAX);
	for (size_t i = 0; i < len; i++)
		PROMISE(isprint((unsigned char)f->text[i]));
	s->line = f->line;
	add(s, &f->kind, sizeof(f->kind));
	add(s, &f->line, sizeof(f->line));
	add(s, f->pattern, strlen(f->pattern));
	add(s, f->text, len);
	return 0;
}

static uint64_t findings(const struct console_rules *rules, const uint8_t *data, size_t len,
			 size_t piece)
{
	static struct console_scan scan;
	struct seen s = { .lines = 1 };

	for (size_t i = 0; i < len; i++)
		s.lines += data[i] == '\n';
	console_scan_init(&scan, rules, on_found, &s);
	for (size_t at = 0; at < len; at += piece)
		PROMISE(!console_scan_feed(&scan, data + at,
					   len - at < piece ? len - at : piece));
	PROMISE(!console_scan_finish(&scan));
	return s.sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct console_rules rules;
	uint64_t whole;

	if (!rules.count) {
		PROMISE(!console_rules_load(&rules, "guest/console-patterns", CONSOLE_KINDS));
		PROMISE(!console_rules_load(&rules, "guest/console-benign", CONSOLE_BENIGN));
		PROMISE(!console_rules_add(&rules, CONSOLE_EXPECTED, "BUG: workqueue lockup"));
	}
	whole = findings(&rules, data, len, len ? len : 1);
	PROMISE(findings(&rules, data, len, 1) == whole);
	PROMISE(findings(&rules, data, len, 7) == whole);
	return 0;
}
