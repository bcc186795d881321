// SPDX-License-Identifier: GPL-2.0-only
#include "verdict.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "../core/msg.h"
#include "../core/random.h"
#include "../core/stats.h"
#include "ranktest.h"

/* Smallest effects that count: real time has other noise than tests see, virtual has none. */
#define REAL_THRESHOLD 0.02
#define VIRTUAL_THRESHOLD 0.005
#define RESAMPLES 2000
#define CONFIDENCE 0.95
/* Boots on each side from which on means are as good as normal, and resampling wasted. */
#define MANY_BOOTS 30

static const char *const names[VERDICTS] = { "same", "better", "worse", "cannot say",
					     "changed" };

const char *verdict_name(enum verdict v)
{
	return names[v];
}

double verdict_threshold(bool exact)
{
	return exact ? VIRTUAL_THRESHOLD : REAL_THRESHOLD;
}

static struct sb_stats stats_of(const double *v, unsigned int count)
{
	struct sb_stats s = SB_STATS_INIT;

	for (unsigned int i = 0; i < count; i++)
		sb_stats_add(&s, v[i]);
	return s;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double resampled_mean(const double *v, unsigned int count, uint64_t *random)
{
	double sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += v[sb_random(random) % count];
	return sum / count;
}

/* Percentile bootstrap of the relative change (Efron 1979): boots are drawn with replacement.
 */
static int bootstrap(struct verdict_row *row, uint64_t seed)
{
	double *change = calloc(RESAMPLES, sizeof(*change));
	uint64_t random = seed;

	if (!change)
		return sb_err(ENOMEM, "comparing");
	for (unsigned int i = 0; i < RESAMPLES; i++) {
		double base = resampled_mean(row->base, row->bases, &random);
		double new = resampled_mean(row->new, row->news, &random);

		change[i] = base != 0 ? (new - base) / fabs(base) : row->change;
	}
	qsort(change, RESAMPLES, sizeof(*change), ascending);
	row->low = change[(int)(RESAMPLES * (1 - CONFIDENCE) / 2)];
	row->high = change[(int)(RESAMPLES * (1 + CONFIDENCE) / 2) - 1];
	row->interval = true;
	free(change);
	return 0;
}

/* The standard error of the difference of two means, variances not assumed equal (Welch 1947).
 */
static double welch_error(const struct verdict_row *row, const struct sb_stats *base,
			  const struct sb_stats *new)
{
	return sqrt(sb_stats_var(base) / (row->bases - 1.0) +
		    sb_stats_var(new) / (row->news - 1.0));
}

static void normal_interval(struct verdict_row *row, const struct sb_stats *base,
			    const struct sb_stats *new, double alpha)
{
	double error = welch_error(row, base, new), half;

	row->visible = gsl_cdf_ugaussian_Qinv(alpha / 2) * error;
	if (!row->relative)
		return;
	error /= fabs(row->base_mean);
	half = gsl_cdf_ugaussian_Qinv((1 - CONFIDENCE) / 2) * error;
	row->visible /= fabs(row->base_mean);
	row->low = row->change - half;
	row->high = row->change + half;
	row->interval = true;
}

/*
 * Figures that move by whole ticks have two or three values, not a normal distribution. So few
 * boots can all have the same one by luck, and Student's t would take that for certainty. With
 * fewer than FEW_BOOTS the known wobble is needed beside it, and its level is a third for all:
 * measured in docs/calibration.md.
 */
#define FEW_BOOTS 7
#define LEVEL_EXACT (1.0 / 3)

static double share_of_alpha(const struct verdict_row *row, const struct verdict_rules *rules)
{
	return rules->alpha * (rules->exact ? LEVEL_EXACT : 1) /
	       (row->gates && rules->gates ? rules->gates : 1);
}

static double smallest_effect(const struct verdict_row *row, const struct verdict_rules *rules)
{
	/* fmax leaves out what is not a number. */
	return rules->exact ? fmax(rules->threshold, row->wobble) : rules->threshold;
}

/*
 * Real time: ranks, since figures of boots have heavy tails and no known distribution. The
 * smallest p-value depends on the number of boots alone, which is why a verdict needs some.
 */
static int test_ranks(struct verdict_row *row, const struct verdict_rules *rules,
		      const struct sb_stats *base, const struct sb_stats *new)
{
	double alpha = share_of_alpha(row, rules);

	row->p = ranktest_p(rules->null, row->base, row->bases, row->new, row->news);
	if (isnan(row->p))
		return sb_err(ENOMEM, "comparing");
	if (!rules->seed)
		return 0;
	if (row->bases >= MANY_BOOTS && row->news >= MANY_BOOTS) {
		normal_interval(row, base, new, alpha);
		return 0;
	}
	row->visible = ranktest_visible(rules->null, row->base, row->bases, row->new, row->news,
					alpha);
	if (!row->relative)
		return 0;
	row->visible /= fabs(row->base_mean);
	return row->bases > 1 && row->news > 1 ? bootstrap(row, rules->seed) : 0;
}

/*
 * Virtual time: the difference is exact, and what the perturbation does to it is the only
 * noise. Perturbations are drawn at random and independently, so Student's t over the boots
 * holds.
 */
static void test_exact(struct verdict_row *row, const struct verdict_rules *rules,
		       const struct sb_stats *base, const struct sb_stats *new)
{
	double freedom = row->bases + row->news - 2.0, error, difference, level;

	if (row->bases < 2 || row->news < 2) {
		row->visible = isnan(row->wobble) ? NAN : smallest_effect(row, rules);
		return;
	}
	difference = row->new_mean - row->base_mean;
	error = sqrt((sb_stats_var(base) * row->bases + sb_stats_var(new) * row->news) /
		     freedom * (1.0 / row->bases + 1.0 / row->news));
	if (error > 0)
		row->p = 2 * gsl_cdf_tdist_Q(fabs(difference) / error, freedom);
	else
		row->p = difference != 0 ? 0 : 1;
	if (!row->relative)
		return;
	error /= fabs(row->base_mean);
	level = gsl_cdf_tdist_Qinv((1 - CONFIDENCE) / 2, freedom);
	row->low = row->change - level * error;
	row->high = row->change + level * error;
	row->interval = true;
	level = gsl_cdf_tdist_Qinv(share_of_alpha(row, rules) / 2, freedom);
	row->visible = level * error;
}

int verdict_test(struct verdict_row *row, const struct verdict_rules *rules)
{
	struct sb_stats base = stats_of(row->base, row->bases);
	struct sb_stats new = stats_of(row->new, row->news);
	int ret = 0;

	row->base_mean = sb_stats_avg(&base);
	row->new_mean = sb_stats_avg(&new);
	row->relative = row->base_mean != 0;
	row->change =
		row->relative ? (row->new_mean - row->base_mean) / fabs(row->base_mean) : 0;
	row->interval = false;
	row->p = NAN;
	row->visible = NAN;
	if (rules->exact)
		test_exact(row, rules, &base, &new);
	else
		ret = test_ranks(row, rules, &base, &new);
	/* What the test would see and the threshold would not let count, does not show. */
	if (row->relative && !isnan(row->visible))
		row->visible = fmax(smallest_effect(row, rules), row->visible);
	return ret;
}

static bool large_enough(const struct verdict_row *row, double threshold)
{
	return row->relative ? fabs(row->change) >= threshold : row->new_mean != 0;
}

static enum verdict direction_of(const struct verdict_row *row)
{
	bool up = row->new_mean > row->base_mean;

	if (!row->direction)
		return VERDICT_CHANGED;
	return up == (row->direction > 0) ? VERDICT_BETTER : VERDICT_WORSE;
}

/* Whatever the figures, too few boots could not have spoken. Sets how many could. */
static bool too_few(struct verdict_row *row, const struct verdict_rules *rules)
{
	unsigned int fewer = row->bases < row->news ? row->bases : row->news;

	if (rules->exact) {
		row->boots_needed = isnan(row->wobble) && fewer < FEW_BOOTS ? FEW_BOOTS : 0;
		return row->boots_needed && row->new_mean != row->base_mean;
	}
	if (ranktest_least_p(row->bases, row->news) <= share_of_alpha(row, rules))
		return false;
	row->boots_needed = ranktest_boots(share_of_alpha(row, rules));
	return true;
}

static void decide(struct verdict_row *row, const struct verdict_rules *rules)
{
	double level = rules->alpha * (rules->exact ? LEVEL_EXACT : 1);
	/* One boot on a side has no p: nothing but the wobble to hold the change against. */
	bool certain = row->adjusted <= level || (rules->exact && isnan(row->p));

	if (too_few(row, rules)) {
		row->verdict = VERDICT_CANNOT_SAY;
		return;
	}
	row->boots_needed = 0;
	if (row->new_mean != row->base_mean && certain &&
	    large_enough(row, smallest_effect(row, rules)))
		row->verdict = direction_of(row);
	else
		row->verdict = VERDICT_SAME;
}

static int by_p(const void *a, const void *b)
{
	double x = (*(struct verdict_row *const *)a)->p,
	       y = (*(struct verdict_row *const *)b)->p;

	return x < y ? -1 : x > y;
}

/*
 * Holm's step-down correction over the gating rows: the k-th smallest of g p-values is
 * multiplied by g - k + 1, and none may be smaller than the one before it.
 */
static void adjust(struct verdict_row **rows, unsigned int count)
{
	double before = 0;

	qsort(rows, count, sizeof(*rows), by_p);
	for (unsigned int i = 0; i < count; i++) {
		double p = rows[i]->p * (count - i);

		before = p > before ? p : before;
		rows[i]->adjusted = before < 1 ? before : 1;
	}
}

void verdict_decide(struct verdict_row **rows, unsigned int count,
		    const struct verdict_rules *rules)
{
	struct verdict_row **gating = calloc(count + 1, sizeof(*gating));
	unsigned int gates = 0;

	for (unsigned int i = 0; i < count; i++) {
		rows[i]->adjusted = rows[i]->p;
		/* Without memory to sort by: Bonferroni's correction, which is never weaker. */
		if (rows[i]->gates && !gating && !isnan(rows[i]->p))
			rows[i]->adjusted = fmin(1, rows[i]->p * rules->gates);
		if (gating && rows[i]->gates && !isnan(rows[i]->p))
			gating[gates++] = rows[i];
	}
	if (gating)
		adjust(gating, gates);
	free(gating);
	for (unsigned int i = 0; i < count; i++)
		decide(rows[i], rules);
}
