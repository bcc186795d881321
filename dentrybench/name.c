// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "name.h"

#define NUMBER_AT 1
#define NUMBER_DIGITS 10
#define RUN_AT (NUMBER_AT + NUMBER_DIGITS)
#define RUN_DIGITS 8
#define FILLING 'x'

static void put_hex(char *to, unsigned int digits, uint64_t value)
{
	static const char hex[] = "0123456789abcdef";

	while (digits--) {
		to[digits] = hex[value & 15];
		value >>= 4;
	}
}

void dentry_name_init(struct dentry_name *name, char kind, uint32_t run, unsigned int length)
{
	memset(name->text, FILLING, length);
	name->text[length] = '\0';
	name->text[0] = kind;
	put_hex(name->text + NUMBER_AT, NUMBER_DIGITS, 0);
	put_hex(name->text + RUN_AT, RUN_DIGITS, run);
}

void dentry_name_set(struct dentry_name *name, uint64_t number)
{
	put_hex(name->text + NUMBER_AT, NUMBER_DIGITS, number);
}
