// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "efi_serial.h"

#define ESC 27

static const char *const marks[] = { "BdsDxe: ", "Mapping table" };

static bool has_mark(const char *line)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (strstr(line, marks[i]))
			return true;
	return false;
}

static void end_line(struct efi_serial *s)
{
	if (s->line[strspn(s->line, " ")])
		memcpy(s->last, s->line, sizeof(s->last));
	s->len = 0;
	s->line[0] = '\0';
}

/* ESC, '[', and parameters up to a letter: clears the screen, places the cursor. */
static void in_escape(struct efi_serial *s, char c)
{
	bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

	if ((s->escape == 1 && c != '[') || letter)
		s->escape = 0;
	else
		s->escape++;
}

static void add(struct efi_serial *s, char c)
{
	if (s->escape) {
		in_escape(s, c);
	} else if (c == ESC) {
		s->escape = 1;
	} else if (c == '\n' || c == '\r') {
		end_line(s);
	} else if (c >= ' ' && c <= '~') {
		/* No mark is so far from the start of its line. */
		if (s->len < sizeof(s->line) - 1)
			s->line[s->len++] = c;
		s->line[s->len] = '\0';
		s->ended = s->ended || has_mark(s->line);
	}
}

bool efi_serial_feed(struct efi_serial *s, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		add(s, bytes[i]);
	return s->ended;
}

const char *efi_serial_last(const struct efi_serial *s)
{
	return s->line[strspn(s->line, " ")] ? s->line : s->last;
}
