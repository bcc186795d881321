// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num.h"

char *sb_num(char buf[SB_NUM_LEN], double value)
{
	/* Whole numbers in full: a count of 1000000 must not become 1e+06. */
	if (value == rint(value) && fabs(value) < 1e15) {
		snprintf(buf, SB_NUM_LEN, "%.0f", value == 0 ? 0.0 : value);
		return buf;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(buf, SB_NUM_LEN, "%.*g", digits, value);
		if (strtod(buf, NULL) == value)
			break;
	}
	return buf;
}

char *sb_num_grouped(char buf[SB_NUM_LEN], uint64_t value)
{
	char digits[SB_NUM_LEN];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, value);
	char *out = buf;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return buf;
}

int sb_parse_u64(const char *text, uint64_t *value)
{
	uint64_t scale = 1;
	char *end;

	/* strtoull takes " -1" and makes it 2^64 - 1. */
	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 10);
	if (errno)
		return -errno;
	if (*end == 'k')
		scale = 1000;
	else if (*end == 'M')
		scale = 1000000;
	else if (*end == 'G')
		scale = 1000000000;
	if (scale > 1)
		end++;
	if (*end)
		return -EINVAL;
	return __builtin_mul_overflow(*value, scale, value) ? -ERANGE : 0;
}

int sb_parse_double(const char *text, double *value)
{
	char *end;

	/* Rules out leading blanks, "nan", "inf" and hexadecimal in one go. */
	if (!*text || text[strspn(text, "+-.0123456789eE")])
		return -EINVAL;
	*value = strtod(text, &end);
	if (*end || end == text)
		return -EINVAL;
	return isfinite(*value) ? 0 : -ERANGE;
}
