/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a guest's console and says what is wrong with it. */
#ifndef GUEST_CONSOLE_H
#define GUEST_CONSOLE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a rule says of the lines that match it; a line is judged by the first that applies. */
enum console_kind {
	CONSOLE_PANIC,	  /* the guest is lost */
	CONSOLE_HOGGED,	  /* a work item held its CPU: counted, a metric and no verdict */
	CONSOLE_EXPECTED, /* the variant announced it */
	CONSOLE_BENIGN,	  /* looks bad, is not */
	CONSOLE_BAD,
	CONSOLE_KINDS,
};

struct console_rule {
	enum console_kind kind;
	char *pattern; /* POSIX extended regular expression */
	regex_t re;
};

struct console_rules {
	struct console_rule *list;
	size_t count;
};

/*
 * Adds the rules of a file: an ERE a line, '#' starts a comment line, blank lines are skipped.
 * In a file of mixed kinds (@kind = CONSOLE_KINDS) each ERE follows one of the words panic,
 * hogged, bad and blanks. Returns 0 or -errno after a message that names file and line.
 */
int console_rules_load(struct console_rules *rules, const char *path, enum console_kind kind);
int console_rules_add(struct console_rules *rules, enum console_kind kind, const char *pattern);
void console_rules_free(struct console_rules *rules);

/* Longest piece of a line that is looked at in one go. */
#define CONSOLE_LINE_MAX 4096

struct console_finding {
	enum console_kind kind; /* never CONSOLE_BENIGN */
	const char *pattern;
	uint64_t line;	  /* from 1 */
	const char *text; /* the line, printable ASCII only; gone after the callback */
};

/* Told of each finding, at most one a line. A non-zero return ends the scan with that value. */
typedef int console_found(void *ctx, const struct console_finding *finding);

struct console_scan {
	const struct console_rules *rules;
	console_found *found;
	void *ctx;
	char line[CONSOLE_LINE_MAX + 1];
	size_t have;
	uint64_t number;
	bool judged; /* this line had its finding */
	int error;
};

void console_scan_init(struct console_scan *scan, const struct console_rules *rules,
		       console_found *found, void *ctx);
/*
 * Takes the next bytes, cut anywhere, of whatever content. Returns 0, a callback's value, or
 * -ENOMEM when a line could not be judged, which ends the scan.
 */
int console_scan_feed(struct console_scan *scan, const uint8_t *data, size_t len);
/* Judges a last line that has no end. */
int console_scan_finish(struct console_scan *scan);

#endif
