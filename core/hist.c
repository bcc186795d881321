// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hist.h"

/* Splits |value| into octave and step; value is not 0. */
static void locate(double value, int *octave, int *step)
{
	int exp;
	/* frexp gives [0.5, 1): the linear position inside the octave is 2 * mantissa - 1. */
	double mantissa = frexp(fabs(value), &exp);

	*octave = exp - 1 - SB_HIST_MIN_EXP;
	*step = (int)((2 * mantissa - 1) * SB_HIST_STEPS);
	if (*octave < 0) {
		*octave = 0;
		*step = 0;
	} else if (*octave >= SB_HIST_OCTAVES) {
		*octave = SB_HIST_OCTAVES - 1;
		*step = SB_HIST_STEPS - 1;
	}
}

static struct sb_hist_bucket bucket_at(bool negative, int octave, int step, uint64_t count)
{
	double base = ldexp(1, octave + SB_HIST_MIN_EXP);
	double low = base * (1 + (double)step / SB_HIST_STEPS);
	double high = base * (1 + (double)(step + 1) / SB_HIST_STEPS);

	if (negative)
		return (struct sb_hist_bucket){ .low = -high, .high = -low, .count = count };
	return (struct sb_hist_bucket){ .low = low, .high = high, .count = count };
}

int sb_hist_add(struct sb_hist *h, double value, uint64_t count)
{
	int octave, step;
	uint64_t **slot;

	if (!count)
		return 0;
	if (value == 0) {
		h->zeros += count;
		h->n += count;
		return 0;
	}
	locate(value, &octave, &step);
	slot = &h->octave[value < 0][octave];
	if (!*slot) {
		*slot = calloc(SB_HIST_STEPS, sizeof(**slot));
		if (!*slot)
			return -ENOMEM;
	}
	(*slot)[step] += count;
	h->n += count;
	return 0;
}

static int merge_bucket(const struct sb_hist_bucket *b, void *data)
{
	/* The middle lies inside the bucket whatever its sign, so it finds the same one again.
	 */
	return sb_hist_add(data, b->low + (b->high - b->low) / 2, b->count);
}

int sb_hist_merge(struct sb_hist *h, const struct sb_hist *other)
{
	return sb_hist_each(other, merge_bucket, h);
}

/* Buckets of one sign in ascending order of value: magnitudes descend on the negative side. */
static int each_of_sign(const struct sb_hist *h, bool negative,
			int (*fn)(const struct sb_hist_bucket *b, void *data), void *data)
{
	const int buckets = SB_HIST_OCTAVES * SB_HIST_STEPS;

	for (int i = 0; i < buckets; i++) {
		int at = negative ? buckets - 1 - i : i;
		int octave = at / SB_HIST_STEPS, step = at % SB_HIST_STEPS;
		const uint64_t *counts = h->octave[negative][octave];
		struct sb_hist_bucket b;
		int ret;

		if (!counts || !counts[step])
			continue;
		b = bucket_at(negative, octave, step, counts[step]);
		ret = fn(&b, data);
		if (ret)
			return ret;
	}
	return 0;
}

int sb_hist_each(const struct sb_hist *h, int (*fn)(const struct sb_hist_bucket *b, void *data),
		 void *data)
{
	int ret = each_of_sign(h, true, fn, data);

	if (!ret && h->zeros) {
		struct sb_hist_bucket b = { .count = h->zeros };

		ret = fn(&b, data);
	}
	return ret ? ret : each_of_sign(h, false, fn, data);
}

struct quantile_walk {
	uint64_t rank, seen;
	double value;
};

static int quantile_bucket(const struct sb_hist_bucket *b, void *data)
{
	struct quantile_walk *w = data;

	w->seen += b->count;
	w->value = b->low + (b->high - b->low) / 2;
	return w->seen >= w->rank;
}

double sb_hist_quantile(const struct sb_hist *h, double q)
{
	struct quantile_walk w = { .rank = (uint64_t)ceil(q * (double)h->n) };

	if (!w.rank)
		w.rank = 1;
	sb_hist_each(h, quantile_bucket, &w);
	return w.value;
}

bool sb_hist_speaks(uint64_t n, double q)
{
	/* 1 - 0.9 is not 0.1 in binary: leave room for rounding. */
	return (double)n * (1 - q) >= 1 - 1e-9;
}

void sb_hist_free(struct sb_hist *h)
{
	for (int sign = 0; sign < 2; sign++)
		for (int i = 0; i < SB_HIST_OCTAVES; i++)
			free(h->octave[sign][i]);
	memset(h, 0, sizeof(*h));
}
