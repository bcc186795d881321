/* SPDX-License-Identifier: GPL-2.0-only */
/* Mergeable log-linear histogram: bounded relative error over the whole range of double. */
#ifndef SB_HIST_H
#define SB_HIST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Every power of two is cut into SB_HIST_STEPS equal buckets, so a bucket is at most
 * 1/128 = 0.78 % wide relative to its lower bound. Linear buckets would need the maximum
 * beforehand; purely logarithmic ones would need log() per sample. Octaves are allocated when
 * a sample first falls into them: a series of latencies touches a dozen.
 */
#define SB_HIST_STEPS 128
#define SB_HIST_MIN_EXP (-64) /* smaller magnitudes count as the smallest bucket */
#define SB_HIST_MAX_EXP 128   /* larger ones as the largest */
#define SB_HIST_OCTAVES (SB_HIST_MAX_EXP - SB_HIST_MIN_EXP)

struct sb_hist {
	uint64_t n;
	uint64_t zeros;
	uint64_t *octave[2][SB_HIST_OCTAVES]; /* [0] positive, [1] negative values */
};

struct sb_hist_bucket {
	double low, high; /* low <= value < high; for negative values low < value <= high */
	uint64_t count;
};

/* Adds count samples of one value. Returns 0 or -ENOMEM. */
int sb_hist_add(struct sb_hist *h, double value, uint64_t count);

/* Adds another histogram. Returns 0 or -ENOMEM. */
int sb_hist_merge(struct sb_hist *h, const struct sb_hist *other);

/*
 * Calls fn for every bucket that is not empty, in ascending order; stops when fn returns
 * other than 0 and returns that.
 */
int sb_hist_each(const struct sb_hist *h, int (*fn)(const struct sb_hist_bucket *b, void *data),
		 void *data);

/*
 * The value at rank ceil(q * n) (nearest rank), given as the middle of its bucket and so
 * within 0.4 % of the sample; q from 0 to 1. n must not be 0.
 */
double sb_hist_quantile(const struct sb_hist *h, double q);

/*
 * Whether n samples are enough to speak of quantile q: at least one sample must be expected
 * beyond it (p90 from 10, p99 from 100, p999 from 1000).
 */
bool sb_hist_speaks(uint64_t n, double q);

void sb_hist_free(struct sb_hist *h);

#endif
