// SPDX-License-Identifier: GPL-2.0-only
/* Finds the lines of a guest's console that say that something went wrong. */
#include "console.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"

/* Kept when a line is cut in pieces, so that no message is lost at the cut. */
#define OVERLAP 256

int console_rules_add(struct console_rules *rules, enum console_kind kind, const char *pattern)
{
	struct console_rule *more;
	char why[128];
	int err;

	more = reallocarray(rules->list, rules->count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	rules->list = more;
	more += rules->count;
	more->kind = kind;
	more->pattern = strdup(pattern);
	if (!more->pattern)
		return -ENOMEM;
	err = regcomp(&more->re, pattern, REG_EXTENDED | REG_NOSUB);
	if (err) {
		regerror(err, &more->re, why, sizeof(why));
		sb_msg("pattern '%s': %s", pattern, why);
		free(more->pattern);
		return -EINVAL;
	}
	rules->count++;
	return 0;
}

/* Cuts the kind's word off @text; CONSOLE_KINDS if there is none. */
static enum console_kind take_kind(char **text)
{
	static const struct {
		const char *word;
		enum console_kind kind;
	} words[] = { { "panic", CONSOLE_PANIC },
		      { "hogged", CONSOLE_HOGGED },
		      { "bad", CONSOLE_BAD } };
	size_t len = strcspn(*text, " \t");

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (len == strlen(words[i].word) && strncmp(*text, words[i].word, len) == 0) {
			*text += len;
			*text += strspn(*text, " \t");
			return **text ? words[i].kind : CONSOLE_KINDS;
		}
	return CONSOLE_KINDS;
}

static int add_line(struct console_rules *rules, char *line, enum console_kind kind)
{
	line[strcspn(line, "\r\n")] = '\0';
	if (line[0] == '#' || line[strspn(line, " \t")] == '\0')
		return 0;
	if (kind == CONSOLE_KINDS)
		kind = take_kind(&line);
	if (kind == CONSOLE_KINDS)
		return -EINVAL;
	return console_rules_add(rules, kind, line);
}

int console_rules_load(struct console_rules *rules, const char *path, enum console_kind kind)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	unsigned int number = 0;
	size_t size = 0;
	int err = 0;

	if (!file)
		return sb_err(errno, "%s", path);
	while (!err && getline(&line, &size, file) >= 0) {
		number++;
		err = add_line(rules, line, kind);
		if (err)
			sb_err(err, "%s:%u", path, number);
	}
	/* A rule that is lost is a splat that is not seen. */
	if (!err && !feof(file))
		err = sb_err(errno, "%s", path);
	free(line);
	fclose(file);
	return err;
}

void console_rules_free(struct console_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		regfree(&rules->list[i].re);
		free(rules->list[i].pattern);
	}
	free(rules->list);
	memset(rules, 0, sizeof(*rules));
}

/*
 * The first matching rule, by kind and then by its place in the list. Sets @error when that
 * cannot be known: a line that was not looked at is not a good one.
 */
static const struct console_rule *judge(const struct console_rules *rules, const char *line,
					int *error)
{
	for (enum console_kind kind = 0; kind < CONSOLE_KINDS; kind++)
		for (size_t i = 0; i < rules->count; i++) {
			const struct console_rule *rule = &rules->list[i];
			int ret = rule->kind == kind ? regexec(&rule->re, line, 0, NULL, 0)
						     : REG_NOMATCH;

			if (ret == 0)
				return rule;
			if (ret != REG_NOMATCH)
				*error = -ENOMEM;
		}
	return NULL;
}

void console_scan_init(struct console_scan *scan, const struct console_rules *rules,
		       console_found *found, void *ctx)
{
	memset(scan, 0, sizeof(*scan));
	scan->rules = rules;
	scan->found = found;
	scan->ctx = ctx;
	scan->number = 1;
}

static int look(struct console_scan *scan)
{
	const struct console_rule *rule;
	struct console_finding finding;

	if (scan->judged || scan->have == 0)
		return 0;
	scan->line[scan->have] = '\0';
	rule = judge(scan->rules, scan->line, &scan->error);
	if (!rule)
		return scan->error;
	scan->judged = true;
	if (rule->kind == CONSOLE_BENIGN)
		return 0;
	finding = (struct console_finding){
		.kind = rule->kind,
		.pattern = rule->pattern,
		.line = scan->number,
		.text = scan->line,
	};
	scan->error = scan->found(scan->ctx, &finding);
	return scan->error;
}

static int take_byte(struct console_scan *scan, uint8_t byte)
{
	int err = 0;

	if (byte == '\n') {
		err = look(scan);
		scan->have = 0;
		scan->judged = false;
		scan->number++;
		return err;
	}
	/* A CR or a NUL in the middle of a word must not hide it. */
	if (byte == '\r' || byte == '\0')
		return 0;
	if (scan->have == CONSOLE_LINE_MAX) {
		err = look(scan);
		memmove(scan->line, scan->line + CONSOLE_LINE_MAX - OVERLAP, OVERLAP);
		scan->have = OVERLAP;
	}
	scan->line[scan->have++] = byte < 0x80 && isprint(byte) ? (char)byte : '?';
	return err;
}

int console_scan_feed(struct console_scan *scan, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len && !scan->error; i++)
		take_byte(scan, data[i]);
	return scan->error;
}

int console_scan_finish(struct console_scan *scan)
{
	return scan->error ? scan->error : look(scan);
}
