// SPDX-License-Identifier: GPL-2.0-only
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "compare_facts.h"
#include "compare_gates.h"

#define BOOTSTRAP_SEED 1

static const char *const statistics[COMPARE_STATISTICS] = { "avg", "max", "p99", "total" };

const char *compare_statistic_name(enum compare_statistic s)
{
	return statistics[s];
}

double compare_unit_factor(const char *unit)
{
	static const struct {
		const char *unit;
		double us;
	} units[] = { { "ns", 1e-3 }, { "us", 1 }, { "ms", 1e3 }, { "s", 1e6 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].unit))
			return units[i].us;
	return 0;
}

int compare_note(struct compare_note **list, const char *fmt, ...)
{
	struct compare_note *note = calloc(1, sizeof(*note));
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = note ? vasprintf(&note->text, fmt, ap) : -1;
	va_end(ap);
	if (len < 0) {
		free(note);
		return sb_err(ENOMEM, "comparing");
	}
	while (*list)
		list = &(*list)->next;
	*list = note;
	return 0;
}

bool compare_figure(const struct record *r, enum compare_statistic s, double *value)
{
	if (!r->n)
		return false;
	switch (s) {
	case COMPARE_AVG:
		*value = r->avg;
		break;
	case COMPARE_MAX:
		*value = r->max;
		break;
	case COMPARE_P99:
		*value = r->p99;
		break;
	default:
		*value = r->avg * (double)r->n;
		break;
	}
	return !isnan(*value);
}

/* The rows of one kernel that have the same bench, phase, metric and unit. */
struct run {
	const struct record *record;
	uint32_t count;
};

static bool same_series(const struct record *a, const struct record *b)
{
	return a->kernel == b->kernel && !side_by_key(a, b) && a->unit == b->unit;
}

static struct run run_at(const struct side *s, uint32_t at, uint32_t end)
{
	struct run run = { &s->record[at], 0 };

	while (at + run.count < end && same_series(run.record, &s->record[at + run.count]))
		run.count++;
	return run;
}

/* Appends the figures of a run, in the unit of the base. Returns how many there are, or
 * -ENOMEM. */
static long add_figures(struct comparison *c, const struct run *run, enum compare_statistic s,
			double factor)
{
	long count = 0;

	if (c->figure_count + run->count > c->figure_room) {
		uint64_t room = 2 * (c->figure_count + run->count) + 1024;
		double *grown = reallocarray(c->figures, room, sizeof(*grown));

		if (!grown)
			return sb_err(ENOMEM, "comparing");
		c->figures = grown;
		c->figure_room = room;
	}
	for (uint32_t i = 0; i < run->count; i++) {
		double value;

		if (!compare_figure(&run->record[i], s, &value))
			continue;
		c->figures[c->figure_count++] = value * factor;
		count++;
	}
	return count;
}

static bool identical(const struct run *a, const struct run *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->record[i].text != b->record[i].text)
			return false;
	return true;
}

static int direction_of(const struct comparison *c, const struct record *r)
{
	const char *better = names_text(&c->names, r->better);

	return !strcmp(better, "lower") ? -1 : !strcmp(better, "higher");
}

static int add_row(struct comparison *c, const struct run *base, const struct run *new,
		   enum compare_statistic s, const struct gate *gate, bool gates, double factor)
{
	struct compare_row *row;
	long bases, news;

	if (c->rows == c->room) {
		uint32_t room = c->room ? 2 * c->room : 64;
		struct compare_row *grown = reallocarray(c->row, room, sizeof(*grown));

		if (!grown)
			return sb_err(ENOMEM, "comparing");
		c->row = grown;
		c->room = room;
	}
	bases = add_figures(c, base, s, 1);
	news = bases < 0 ? bases : add_figures(c, new, s, factor);
	if (news < 0)
		return (int)news;
	if (!bases || !news) {
		/* There are samples on both sides: a tail that is missing is no missing row. */
		c->figure_count -= (uint64_t)(bases + news);
		return 0;
	}
	row = &c->row[c->rows++];
	*row = (struct compare_row){
		.base_kernel = base->record->kernel,
		.new_kernel = new->record->kernel,
		.bench = base->record->bench,
		.phase = base->record->phase,
		.metric = base->record->metric,
		.unit = base->record->unit,
		.statistic = s,
		.identical = factor == 1 && identical(base, new),
		.v = { .bases = (unsigned int)bases,
		       .news = (unsigned int)news,
		       .direction = direction_of(c, base->record),
		       .wobble = gate ? gate->wobble : NAN,
		       .gates = gates },
	};
	return 0;
}

/* 1 where the units agree, else what the new side is to be multiplied by; 0: refused. */
static double conversion(const struct comparison *c, const struct run *base,
			 const struct run *new)
{
	double from, to;

	if (base->record->unit == new->record->unit)
		return 1;
	from = compare_unit_factor(names_text(&c->names, new->record->unit));
	to = compare_unit_factor(names_text(&c->names, base->record->unit));
	return from > 0 && to > 0 ? from / to : 0;
}

/* A row that could have gated, and so could have said "worse". */
static bool would_gate(const struct comparison *c, const struct gates *gates,
		       const struct record *r)
{
	const struct gate *gate = gates_find(gates, r->bench, r->metric);

	if (!gates->known)
		return direction_of(c, r) != 0;
	for (int s = 0; gate && s < COMPARE_STATISTICS; s++)
		if (gate->statistic[s])
			return true;
	return false;
}

static int note_missing(struct comparison *c, const struct gates *gates, const struct run *run,
			const char *what)
{
	return compare_note(would_gate(c, gates, run->record) ? &c->missing : &c->differences,
			    "%s %s %s %s", names_text(&c->names, run->record->bench),
			    names_text(&c->names, run->record->phase),
			    names_text(&c->names, run->record->metric), what);
}

/* The most samples that a boot of the run has. */
static uint64_t most_samples(const struct run *run)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < run->count; i++)
		most = run->record[i].n > most ? run->record[i].n : most;
	return most;
}

static int match(struct comparison *c, const struct gates *gates, const struct run *base,
		 const struct run *new)
{
	const struct gate *gate = gates_find(gates, base->record->bench, base->record->metric);
	uint64_t in_base = most_samples(base), in_new = most_samples(new);
	double factor = conversion(c, base, new);
	int ret = 0;

	if (factor == 0)
		return compare_note(&c->obstacles, "%s %s: unit %s in the base, %s in the new",
				    names_text(&c->names, base->record->phase),
				    names_text(&c->names, base->record->metric),
				    names_text(&c->names, base->record->unit),
				    names_text(&c->names, new->record->unit));
	if (!in_base || !in_new)
		return in_base == in_new ? 0
					 : note_missing(c, gates, base,
							in_base ? "has no samples in the new"
								: "has no samples in the base");
	for (int s = 0; s < COMPARE_STATISTICS && !ret; s++) {
		bool gating = gate ? gate->statistic[s]
				   : !gates->known && s == COMPARE_AVG &&
					      direction_of(c, base->record);

		/* Of a metric that is counted once a boot, all statistics are one figure. */
		if (!gating && s != COMPARE_AVG &&
		    (s == COMPARE_TOTAL || (in_base < 2 && in_new < 2)))
			continue;
		ret = add_row(c, base, new, (enum compare_statistic)s, gate, gating, factor);
	}
	return ret;
}

static uint32_t first_of(const struct side *s, uint32_t kernel)
{
	uint32_t i = 0;

	while (i < s->records && s->record[i].kernel != kernel)
		i++;
	return i;
}

static uint32_t end_of(const struct side *s, uint32_t from, uint32_t kernel)
{
	while (from < s->records && s->record[from].kernel == kernel)
		from++;
	return from;
}

/* Both kernels' rows come in the same order, so they are merged like two sorted lists. */
static int pair_kernels(struct comparison *c, const struct gates *gates, uint32_t base,
			uint32_t new)
{
	uint32_t a = first_of(&c->base, base), a_end = end_of(&c->base, a, base);
	uint32_t b = first_of(c->other, new), b_end = end_of(c->other, b, new);
	int ret = compare_facts(c, base, new);

	while (!ret && (a < a_end || b < b_end)) {
		struct run x = run_at(&c->base, a, a_end), y = run_at(c->other, b, b_end);
		int order = a == a_end ? 1 : b == b_end ? -1 : side_by_key(x.record, y.record);

		if (order < 0)
			ret = note_missing(c, gates, &x, "only in the base");
		else if (order > 0)
			ret = note_missing(c, gates, &y, "only in the new");
		else
			ret = match(c, gates, &x, &y);
		a += order <= 0 ? x.count : 0;
		b += order >= 0 ? y.count : 0;
	}
	c->pairs++;
	return ret;
}

static bool has_kernel(const struct side *s, uint32_t kernel)
{
	for (uint32_t i = 0; i < s->kernels; i++)
		if (s->kernel[i] == kernel)
			return true;
	return false;
}

/* One kernel on each side are compared whatever their names; more are paired by name. */
static int pair_sides(struct comparison *c, const struct gates *gates)
{
	int ret = 0;

	if (c->base.kernels == 1 && c->new.kernels == 1)
		return pair_kernels(c, gates, c->base.kernel[0], c->new.kernel[0]);
	for (uint32_t i = 0; i < c->base.kernels && !ret; i++) {
		uint32_t kernel = c->base.kernel[i];

		if (has_kernel(&c->new, kernel)) {
			ret = pair_kernels(c, gates, kernel, kernel);
			continue;
		}
		ret = compare_note(&c->missing, "kernel %s only in the base",
				   names_text(&c->names, kernel));
	}
	for (uint32_t i = 0; i < c->new.kernels && !ret; i++) {
		if (has_kernel(&c->base, c->new.kernel[i]))
			continue;
		ret = compare_note(&c->missing, "kernel %s only in the new",
				   names_text(&c->names, c->new.kernel[i]));
	}
	return ret;
}

/* Cells without figures: what is left of a kernel that panics half the time may look unchanged.
 */
static int note_lost(struct comparison *c, const struct side *s, const char *which)
{
	int ret = 0;

	for (uint32_t i = 0; i < s->losts && !ret; i++)
		ret = compare_note(&c->missing,
				   "kernel %s%s: %u cell%s with status '%s', first %s",
				   names_text(&c->names, s->lost[i].kernel), which,
				   s->lost[i].count, s->lost[i].count == 1 ? "" : "s",
				   names_text(&c->names, s->lost[i].status),
				   names_text(&c->names, s->lost[i].first));
	return ret;
}

static int pair_in_run(struct comparison *c, const struct gates *gates)
{
	int ret = 0;

	if (c->base.kernels < 2) {
		sb_msg("%s: only one kernel in this run, nothing to compare it with",
		       c->base.path);
		return -EINVAL;
	}
	for (uint32_t i = 1; i < c->base.kernels && !ret; i++)
		ret = pair_kernels(c, gates, c->base.kernel[0], c->base.kernel[i]);
	return ret;
}

/* All figures are in place now: rows point into them, and can be judged. */
static int judge(struct comparison *c)
{
	struct verdict_row **rows = calloc(c->rows + 1, sizeof(*rows));
	const double *at = c->figures;
	int ret = 0;

	if (!rows)
		return sb_err(ENOMEM, "comparing");
	for (uint32_t i = 0; i < c->rows; i++) {
		struct verdict_row *v = &c->row[i].v;

		v->base = at;
		v->new = at + v->bases;
		at += v->bases + v->news;
		rows[i] = v;
		c->rules.gates += v->gates;
	}
	for (uint32_t i = 0; i < c->rows && !ret; i++)
		ret = verdict_test(rows[i], &c->rules);
	if (!ret)
		verdict_decide(rows, c->rows, &c->rules);
	/* The same bytes are the same figure, and it takes no boots to see it. */
	for (uint32_t i = 0; i < c->rows && !ret; i++) {
		if (!c->row[i].identical)
			continue;
		rows[i]->verdict = VERDICT_SAME;
		rows[i]->boots_needed = 0;
	}
	free(rows);
	return ret;
}

int compare_run(struct comparison *c, const struct compare_options *options)
{
	struct gates gates = { 0 };
	const char *clock;
	int ret;

	*c = (struct comparison){ 0 };
	c->other = options->new ? &c->new : &c->base;
	ret = side_read(&c->base, options->base, &c->names);
	if (!ret && options->new)
		ret = side_read(&c->new, options->new, &c->names);
	if (ret)
		return ret;
	clock = c->base.kernels ? side_fact(&c->base, c->base.kernel[0], "clock") : NULL;
	c->rules = (struct verdict_rules){
		.exact = clock && !strcmp(clock, "virtual"),
		.threshold = options->threshold,
		.alpha = options->alpha,
		.seed = BOOTSTRAP_SEED,
		.null = &c->null,
	};
	if (isnan(c->rules.threshold))
		c->rules.threshold = verdict_threshold(c->rules.exact);
	ret = gates_read(&gates, &c->base, &c->names);
	if (!ret)
		ret = options->new ? pair_sides(c, &gates) : pair_in_run(c, &gates);
	if (!ret)
		ret = note_lost(c, &c->base, options->new ? " in the base" : "");
	if (!ret && options->new)
		ret = note_lost(c, &c->new, " in the new");
	if (!ret)
		ret = judge(c);
	gates_free(&gates);
	return ret;
}

static void free_notes(struct compare_note *note)
{
	while (note) {
		struct compare_note *next = note->next;

		free(note->text);
		free(note);
		note = next;
	}
}

void compare_free(struct comparison *c)
{
	side_free(&c->base);
	side_free(&c->new);
	names_free(&c->names);
	rank_null_free(&c->null);
	free(c->row);
	free(c->figures);
	free_notes(c->missing);
	free_notes(c->obstacles);
	free_notes(c->differences);
}
