// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often the comparison raises a false alarm, and how often it finds a slowdown that is
 * there: counted over many reports made from known distributions, and over reports drawn from
 * the boots of a real run. Writes tables in markdown.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "../../core/msg.h"
#include "../../core/num.h"
#include "../../core/random.h"
#include "../../report/verdict.h"
#include "calibrate.h"

#define ALPHA 0.02
#define CONFIDENCE 0.95

static double uniform(uint64_t *random)
{
	return ((double)(sb_random(random) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *random)
{
	return gsl_cdf_ugaussian_Pinv(uniform(random));
}

/* Each takes what the boot has in common for all rows, and adds what a row has of its own. */
static double calm(uint64_t *random, double common)
{
	return exp(0.01 * common + 0.01 * normal(random));
}

static double shifting(uint64_t *random, double common)
{
	return exp(0.10 * common + 0.03 * normal(random));
}

/* One boot in ten has a tail: Pareto with index 1.5, whose variance is infinite. */
static double heavy(uint64_t *random, double common)
{
	double tail = uniform(random) < 0.1 ? pow(uniform(random), -1 / 1.5) : 1;

	return exp(0.03 * common + 0.03 * normal(random)) * tail;
}

/* What perturbation does in virtual time: little, and now and then a whole tick of the timer.
 */
static double ticks(uint64_t *random, double common)
{
	(void)common;
	return 1 + 0.0003 * normal(random) + (uniform(random) < 0.3 ? 0.012 : 0);
}

static double steady(uint64_t *random, double common)
{
	(void)common;
	return 1 + 0.0003 * normal(random);
}

static const struct model {
	const char *name, *what;
	bool exact;
	double wobble; /* declared with the metric, a share; NAN: none is */
	double (*draw)(uint64_t *random, double common);
} models[] = {
	{ "calm", "real time, 1 % between boots, 1 % of a row's own", false, NAN, calm },
	{ "shifting", "real time, boots shift by 10 %, all rows together", false, NAN,
	  shifting },
	{ "heavy", "real time, one figure in ten from a Pareto tail of infinite variance",
	  false, NAN, heavy },
	{ "steady", "virtual time, 0.03 % between perturbed boots, wobble declared: 0.15 %",
	  true, 0.0015, steady },
	{ "ticks",
	  "virtual time, 0.03 %, and in three boots of ten a tick more, 1.2 %; declared: 1.3 %",
	  true, 0.013, ticks },
	{ "ticks, undeclared", "the same, without a declared wobble", true, NAN, ticks },
};

#define MODELS (sizeof(models) / sizeof(models[0]))

static int report(struct tally *t, double (*figure)[2][BOOTS_MOST], unsigned int rows,
		  unsigned int boots, const double *wobble, const struct verdict_rules *rules)
{
	struct verdict_row row[ROWS_MOST], *list[ROWS_MOST];
	bool alarm = false;

	for (unsigned int r = 0; r < rows; r++) {
		row[r] = (struct verdict_row){ .base = figure[r][0],
					       .new = figure[r][1],
					       .bases = boots,
					       .news = boots,
					       .direction = -1,
					       .wobble = wobble[r],
					       .gates = true };
		list[r] = &row[r];
		if (verdict_test(&row[r], rules))
			return -ENOMEM;
	}
	verdict_decide(list, rows, rules);
	for (unsigned int r = 0; r < rows; r++) {
		bool changed =
			row[r].verdict == VERDICT_BETTER || row[r].verdict == VERDICT_WORSE;

		t->comparisons++;
		t->alarms += changed;
		alarm = alarm || changed;
	}
	t->reports++;
	t->alarmed += alarm;
	t->found += row[0].verdict == VERDICT_WORSE;
	return 0;
}

static struct verdict_rules rules_of(bool exact, unsigned int rows, struct rank_null *null)
{
	return (struct verdict_rules){
		.exact = exact,
		.threshold = exact ? 0.005 : 0.02,
		.alpha = ALPHA,
		.gates = rows,
		.null = null,
	};
}

/* One synthetic report; the first row of the new side is slower by @effect. */
static int synthetic(struct tally *t, const struct model *m, unsigned int rows,
		     unsigned int boots, double effect, uint64_t *random,
		     struct rank_null *null)
{
	static double figure[ROWS_MOST][2][BOOTS_MOST];
	const struct verdict_rules rules = rules_of(m->exact, rows, null);
	double wobble[ROWS_MOST];

	for (int side = 0; side < 2; side++) {
		for (unsigned int b = 0; b < boots; b++) {
			double common = normal(random);

			for (unsigned int r = 0; r < rows; r++)
				figure[r][side][b] = 1000 * m->draw(random, common) *
						     (side && !r ? 1 + effect : 1);
		}
	}
	for (unsigned int r = 0; r < rows; r++)
		wobble[r] = m->wobble;
	return report(t, figure, rows, boots, wobble, &rules);
}

/*
 * Draws two disjoint sets of boots and takes one for the base, the other for the new kernel,
 * where row @slow is slower by @effect. That row is the first of the report, which is the one
 * looked at.
 */
static int resampled(struct tally *t, const struct boots *d, unsigned int boots,
		     unsigned int slow, double effect, uint64_t *random, struct rank_null *null)
{
	static double figure[ROWS_MOST][2][BOOTS_MOST];
	const struct verdict_rules rules = rules_of(d->exact, d->rows, null);
	unsigned int order[REAL_BOOTS_MOST], row[ROWS_MOST];
	double wobble[ROWS_MOST];

	for (unsigned int r = 0; r < d->rows; r++)
		row[r] = r;
	row[slow] = 0;
	row[0] = slow;
	for (unsigned int r = 0; r < d->rows; r++)
		wobble[r] = d->wobble[row[r]];

	for (unsigned int i = 0; i < d->boots; i++)
		order[i] = i;
	for (unsigned int i = 0; i < 2 * boots; i++) {
		unsigned int j = i + (unsigned int)(sb_random(random) % (d->boots - i));
		unsigned int swap = order[i];

		order[i] = order[j];
		order[j] = swap;
		for (unsigned int r = 0; r < d->rows; r++)
			figure[r][i % 2][i / 2] =
				d->figure[row[r]][order[i]] * (i % 2 && !r ? 1 + effect : 1);
	}
	return report(t, figure, d->rows, boots, wobble, &rules);
}

/*
 * The upper end of the interval for a rate (Clopper and Pearson 1934), one-sided: the rate at
 * which so few hits would still have a chance of 5 %. By halving, since GSL's inverse of the
 * beta distribution does not always converge.
 */
static double upper_bound(uint64_t hits, uint64_t tries)
{
	double low = (double)hits / (double)tries, high = 1;

	for (int i = 0; i < 60 && hits < tries; i++) {
		double middle = (low + high) / 2;

		if (gsl_cdf_beta_P(middle, (double)hits + 1, (double)(tries - hits)) <
		    CONFIDENCE)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static void alarms_row(const char *name, unsigned int boots, const struct tally *t)
{
	printf("| %s | %u | %" PRIu64 " | %.3f %% | %.3f %% | %.3f %% |\n", name, boots,
	       t->reports, 100 * (double)t->alarms / (double)t->comparisons,
	       100 * (double)t->alarmed / (double)t->reports,
	       100 * upper_bound(t->alarmed, t->reports));
}

static const char alarms_head[] =
	"| boots from | boots a side | reports | false alarms per comparison | per report | upper "
	"bound (95 %) |\n|---|--:|--:|--:|--:|--:|\n";

static const unsigned int boot_counts[] = { 3, 5, 6, 7, 8, 10, 15, 20 };
static const double effects[] = { 0.01, 0.02, 0.05, 0.10 };

#define COUNTS (sizeof(boot_counts) / sizeof(boot_counts[0]))
#define EFFECTS (sizeof(effects) / sizeof(effects[0]))

static int alarms(const struct calibration *c, uint64_t *random, struct rank_null *null)
{
	fputs(alarms_head, stdout);
	for (size_t m = 0; m < MODELS; m++) {
		for (size_t n = 0; n < COUNTS; n++) {
			struct tally t = { 0 };

			for (uint64_t i = 0; i < c->reports; i++)
				if (synthetic(&t, &models[m], c->rows, boot_counts[n], 0,
					      random, null))
					return -ENOMEM;
			alarms_row(models[m].name, boot_counts[n], &t);
		}
	}
	return 0;
}

static void power_head(const char *what)
{
	printf("| %s | boots a side |", what);
	for (size_t e = 0; e < EFFECTS; e++)
		printf(" %g %% slower |", 100 * effects[e]);
	printf("\n|---|--:|--:|--:|--:|--:|\n");
}

static int power(const struct calibration *c, uint64_t *random, struct rank_null *null)
{
	power_head("boots from");
	for (size_t m = 0; m < MODELS; m++) {
		for (size_t n = 0; n < COUNTS; n++) {
			printf("| %s | %u |", models[m].name, boot_counts[n]);
			for (size_t e = 0; e < EFFECTS; e++) {
				struct tally t = { 0 };

				for (uint64_t i = 0; i < c->reports / 10; i++)
					if (synthetic(&t, &models[m], c->rows, boot_counts[n],
						      effects[e], random, null))
						return -ENOMEM;
				printf(" %.1f %% |", 100 * (double)t.found / (double)t.reports);
			}
			putchar('\n');
		}
	}
	return 0;
}

/* How often one row's slowdown is found. */
static int real_power(const struct calibration *c, const struct boots *d, unsigned int slow,
		      uint64_t *random, struct rank_null *null)
{
	static const unsigned int counts[] = { 3, 7, 10, 20 };

	for (size_t n = 0; n < sizeof(counts) / sizeof(counts[0]); n++) {
		if (2 * counts[n] > d->boots)
			break;
		printf("| %s | %u |", d->row_name[slow], counts[n]);
		for (size_t e = 0; e < EFFECTS; e++) {
			struct tally t = { 0 };

			for (uint64_t i = 0; i < c->reports / 10; i++)
				if (resampled(&t, d, counts[n], slow, effects[e], random, null))
					return -ENOMEM;
			printf(" %.1f %% |", 100 * (double)t.found / (double)t.reports);
		}
		putchar('\n');
	}
	return 0;
}

static int real(const struct calibration *c, const struct boots *d, uint64_t *random,
		struct rank_null *null)
{
	fputs(alarms_head, stdout);
	for (size_t n = 0; n < COUNTS && 2 * boot_counts[n] <= d->boots; n++) {
		struct tally t = { 0 };

		for (uint64_t i = 0; i < c->reports; i++)
			if (resampled(&t, d, boot_counts[n], 0, 0, random, null))
				return -ENOMEM;
		alarms_row(d->name, boot_counts[n], &t);
	}
	putchar('\n');
	power_head("row that is slower");
	for (unsigned int slow = 0; slow < d->rows; slow++)
		if (real_power(c, d, slow, random, null))
			return -ENOMEM;
	putchar('\n');
	return 0;
}

static int print_all(const struct calibration *c)
{
	struct rank_null null = { 0 };
	uint64_t random = c->seed;
	int ret = 0;

	if (!c->files) {
		printf("%u rows gate, %" PRIu64 " reports each, seed %" PRIu64 ".\n\n", c->rows,
		       c->reports, c->seed);
		for (size_t m = 0; m < MODELS; m++)
			printf("- **%s**: %s\n", models[m].name, models[m].what);
		printf("\nFalse alarms, both sides drawn from one distribution:\n\n");
		ret = alarms(c, &random, &null);
		printf("\nFound, when the first row of the new side is slower (%" PRIu64
		       " reports each):\n\n",
		       c->reports / 10);
		ret = ret ? ret : power(c, &random, &null);
	}
	for (unsigned int i = 0; i < c->files && !ret; i++) {
		static struct boots d;

		ret = boots_read(&d, c->file[i]);
		if (ret)
			break;
		printf("**%s**: resampled from %u boots, %u rows gate.\n\n", d.name, d.boots,
		       d.rows);
		ret = real(c, &d, &random, &null);
	}
	rank_null_free(&null);
	return ret;
}

enum { KEY_SEED = 's', KEY_REPORTS = 'r', KEY_ROWS = 'g' };

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct calibration *c = state->input;
	uint64_t value = 0;

	if ((key == KEY_SEED || key == KEY_REPORTS || key == KEY_ROWS) &&
	    (sb_parse_u64(arg, &value) || !value))
		argp_error(state, "'%s' is not a number from 1 on", arg);
	switch (key) {
	case KEY_SEED:
		c->seed = value;
		break;
	case KEY_REPORTS:
		c->reports = value;
		break;
	case KEY_ROWS:
		if (value > ROWS_MOST)
			argp_error(state, "at most %d rows", ROWS_MOST);
		c->rows = (unsigned int)value;
		break;
	case ARGP_KEY_ARG:
		if (c->files == FILES_MOST)
			argp_error(state, "too many files");
		c->file[c->files++] = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "seed", KEY_SEED, "N", 0, "of all that is drawn (default 1)", 0 },
		{ "reports", KEY_REPORTS, "N", 0, "reports of each kind (default 10000)", 0 },
		{ "rows", KEY_ROWS, "N", 0, "rows that gate in a synthetic report (default 12)",
		  0 },
		{ 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = on_option,
		.args_doc = "[FILE...]",
		.doc = "Counts false alarms and slowdowns found, over synthetic reports or over reports "
		       "drawn from the boots of one kernel (FILE: kernel,clock,row,wobble_percent,boot,figure)",
	};
	struct calibration c = { .seed = 1, .reports = 10000, .rows = 12 };

	argp_err_exit_status = SB_EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &c);
	if (print_all(&c) || fflush(stdout) || ferror(stdout))
		return SB_EXIT_FAILED;
	return SB_EXIT_OK;
}
