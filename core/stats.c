// SPDX-License-Identifier: GPL-2.0-only
#include "stats.h"

void sb_stats_add(struct sb_stats *s, double value)
{
	long double shifted, delta;

	if (!s->n) {
		*s = (struct sb_stats){ .n = 1, .min = value, .max = value, .first = value };
		return;
	}
	s->n++;
	if (value < s->min)
		s->min = value;
	if (value > s->max)
		s->max = value;
	/* Welford's update, on the shifted value. */
	shifted = (long double)value - s->first;
	delta = shifted - s->mean;
	s->mean += delta / (long double)s->n;
	s->m2 += delta * (shifted - s->mean);
}

void sb_stats_merge(struct sb_stats *s, const struct sb_stats *other)
{
	long double n, delta;

	if (!other->n)
		return;
	if (!s->n) {
		*s = *other;
		return;
	}
	n = (long double)(s->n + other->n);
	delta = ((long double)other->first - s->first) + (other->mean - s->mean);
	s->m2 += other->m2 + delta * delta * ((long double)s->n / n) * (long double)other->n;
	s->mean += delta * ((long double)other->n / n);
	s->n += other->n;
	if (other->min < s->min)
		s->min = other->min;
	if (other->max > s->max)
		s->max = other->max;
}

struct sb_stats sb_stats_from(uint64_t n, double min, double avg, double max, double var)
{
	if (!n)
		return SB_STATS_INIT;
	return (struct sb_stats){
		.n = n,
		.min = min,
		.max = max,
		.first = avg,
		.m2 = (long double)var * (long double)n,
	};
}

double sb_stats_avg(const struct sb_stats *s)
{
	return (double)(s->first + s->mean);
}

double sb_stats_var(const struct sb_stats *s)
{
	return (double)(s->m2 / (long double)s->n);
}

double sb_stats_total(const struct sb_stats *s)
{
	return sb_stats_avg(s) * (double)s->n;
}
