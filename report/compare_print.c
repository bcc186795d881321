// SPDX-License-Identifier: GPL-2.0-only
/* The report of a comparison as text, markdown and CSV. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../core/csv.h"
#include "../core/num.h"
#include "../core/stream.h"
#include "compare.h"
#include "compare_facts.h"
#include "compare_json.h"

#define COMPARE_HEADER                                                                         \
	"base_kernel,new_kernel,bench,phase,metric,statistic,unit,gates,base_boots,new_boots," \
	"base,new,change_percent,low_percent,high_percent,p,p_corrected,visible_percent,"      \
	"verdict,boots_needed"

int compare_status(const struct comparison *c, const struct compare_options *options)
{
	unsigned int speaking = 0, silent = 0;

	for (const struct compare_note *n = c->obstacles; n; n = n->next)
		if (!compare_allowed(options->allow, n->text))
			return COMPARE_NOT_COMPARABLE;
	if (c->missing && !options->allow_missing)
		return COMPARE_BAD_INPUT;
	for (uint32_t i = 0; i < c->rows; i++) {
		const struct verdict_row *v = &c->row[i].v;

		if (!v->gates)
			continue;
		if (v->verdict == VERDICT_WORSE)
			return COMPARE_REGRESSION;
		if (v->verdict == VERDICT_CANNOT_SAY)
			silent++;
		else
			speaking++;
	}
	if (!speaking && !silent) {
		/* Nothing gates, so nothing can be said. */
		return COMPARE_BAD_INPUT;
	}
	return speaking ? COMPARE_OK : COMPARE_CANNOT_SAY;
}

static const char *name(const struct comparison *c, uint32_t id)
{
	return names_text(&c->names, id);
}

static void percent(char *text, size_t size, bool known, double share)
{
	if (known && isfinite(share))
		snprintf(text, size, "%+.2f %%", share * 100);
	else
		snprintf(text, size, "n/a");
}

static void figure(char *text, size_t size, double value)
{
	int decimals = value == rint(value) || fabs(value) >= 1e5 ? 0
		       : fabs(value) >= 100			  ? 1
								  : 3;

	snprintf(text, size, "%.*f", decimals, value);
}

/* The cells of one row, as people read them. */
struct cells {
	char what[160], base[32], new[32], change[24], interval[48], p[24], verdict[96];
};

static void verdict_cell(const struct compare_row *row, char *text, size_t size)
{
	const struct verdict_row *v = &row->v;
	const char *word = verdict_name(v->verdict);

	if (row->identical)
		snprintf(text, size, "same, identical to the byte");
	else if (v->verdict == VERDICT_CANNOT_SAY)
		snprintf(text, size, "%s (%u boots would)", word, v->boots_needed);
	else if (v->verdict == VERDICT_SAME && v->relative && isfinite(v->visible))
		snprintf(text, size, "%s (%.2g %% would show)", word, v->visible * 100);
	else
		snprintf(text, size, "%s", word);
}

static void fill(const struct comparison *c, const struct compare_row *row, struct cells *t)
{
	const struct verdict_row *v = &row->v;

	snprintf(t->what, sizeof(t->what), "%s %s %s, %s", name(c, row->phase),
		 name(c, row->metric), compare_statistic_name(row->statistic),
		 name(c, row->unit));
	figure(t->base, sizeof(t->base), v->base_mean);
	figure(t->new, sizeof(t->new), v->new_mean);
	percent(t->change, sizeof(t->change), v->relative, v->change);
	if (v->interval)
		snprintf(t->interval, sizeof(t->interval), "%+.2f to %+.2f %%", v->low * 100,
			 v->high * 100);
	else
		snprintf(t->interval, sizeof(t->interval), "-");
	if (isnan(v->p))
		snprintf(t->p, sizeof(t->p), "-");
	else
		snprintf(t->p, sizeof(t->p), "%.2g", v->gates ? v->adjusted : v->p);
	verdict_cell(row, t->verdict, sizeof(t->verdict));
}

struct style {
	const char *row;   /* with seven strings */
	const char *after; /* the head, once; or NULL */
};

static const struct style text_style = { "    %-40s %12s %12s %11s %22s %9s  %s\n", NULL };
static const struct style markdown_style = { "| %s | %s | %s | %s | %s | %s | %s |\n",
					     "|---|--:|--:|--:|--:|--:|---|\n" };

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_cells(const struct style *style, FILE *out, const struct cells *t)
{
	fprintf(out, style->row, t->what, t->base, t->new, t->change, t->interval, t->p,
		t->verdict);
}
#pragma GCC diagnostic pop

static bool same_pair(const struct compare_row *a, const struct compare_row *b)
{
	return a->base_kernel == b->base_kernel && a->new_kernel == b->new_kernel &&
	       a->bench == b->bench;
}

static void print_rows(const struct comparison *c, const struct style *style, bool gates,
		       FILE *out)
{
	static const struct cells head = { "",	"base",	  "new", "change", "95 % interval",
					   "p", "verdict" };
	const struct compare_row *before = NULL;

	for (uint32_t i = 0; i < c->rows; i++) {
		const struct compare_row *row = &c->row[i];
		struct cells t = { "", "", "", "", "", "", "" };

		if (row->v.gates != gates)
			continue;
		if (!before || !same_pair(before, row)) {
			fprintf(out, "\n%s, base %s (%u boot%s), new %s (%u boot%s), %s:\n%s",
				name(c, row->bench), name(c, row->base_kernel), row->v.bases,
				row->v.bases == 1 ? "" : "s", name(c, row->new_kernel),
				row->v.news, row->v.news == 1 ? "" : "s",
				gates ? "figures that gate"
				      : "the rest, for information (p not corrected)",
				style->after ? "\n" : "");
			print_cells(style, out, &head);
			fputs(style->after ? style->after : "", out);
		}
		before = row;
		fill(c, row, &t);
		print_cells(style, out, &t);
	}
}

static void print_notes(const struct compare_note *note, const char *title, FILE *out)
{
	if (!note)
		return;
	fprintf(out, "\n%s:\n", title);
	for (; note; note = note->next)
		fprintf(out, "    %s\n", note->text);
}

static void print_summary(const struct comparison *c, const struct compare_options *options,
			  FILE *out)
{
	static const char *const words[] = {
		[COMPARE_OK] = "no regression",
		[COMPARE_REGRESSION] = "regression",
		[COMPARE_BAD_INPUT] =
			"rows or cells are missing, so nothing is decided (--allow-missing)",
		[COMPARE_CANNOT_SAY] = "cannot say: too few boots for any verdict",
		[COMPARE_NOT_COMPARABLE] = "not comparable (--allow)",
	};
	unsigned int count[VERDICTS] = { 0 }, identical_rows = 0;

	for (uint32_t i = 0; i < c->rows; i++) {
		count[c->row[i].v.verdict] += c->row[i].v.gates;
		identical_rows += c->row[i].v.gates && c->row[i].identical;
	}
	fprintf(out, "\nverdict: %s\n", words[compare_status(c, options)]);
	fprintf(out,
		"    of %u figures that gate: %u worse, %u better, %u same (%u identical to the byte), "
		"%u cannot say\n",
		c->rules.gates, count[VERDICT_WORSE], count[VERDICT_BETTER],
		count[VERDICT_SAME], identical_rows, count[VERDICT_CANNOT_SAY]);
	fprintf(out,
		"    changes below %g %% do not count; at most %g %% of reports raise a false alarm; ",
		c->rules.threshold * 100, c->rules.alpha * 100);
	fprintf(out,
		c->rules.exact
			? "virtual time: exact differences against the spread of perturbed boots\n"
			: "rank test over boots, corrected for the figures that gate\n");
}

static int print_text(const struct comparison *c, const struct compare_options *options,
		      FILE *out)
{
	const struct style *style =
		strcmp(options->format, "markdown") ? &text_style : &markdown_style;

	fprintf(out, "base: %s\n", c->base.path);
	if (c->other != &c->base)
		fprintf(out, "new:  %s\n", c->new.path);
	if (c->base.bare || c->other->bare)
		fputs("warning: a bare results.csv says nothing of its environment: whether the two are "
		      "comparable is not known\n",
		      out);
	print_notes(c->obstacles, "not comparable, or only because it was allowed", out);
	print_notes(c->missing, "missing rows or cells", out);
	print_rows(c, style, true, out);
	print_rows(c, style, false, out);
	print_notes(c->differences, "other differences of the environment", out);
	print_summary(c, options, out);
	return 0;
}

static void optional(struct sb_csv *csv, bool known, double value)
{
	if (known && isfinite(value))
		sb_csv_double(csv, value);
	else
		sb_csv_empty(csv);
}

static int print_csv(const struct comparison *c, FILE *out)
{
	struct sb_csv csv = { .file = out };

	sb_csv_header(&csv, COMPARE_HEADER);
	for (uint32_t i = 0; i < c->rows; i++) {
		const struct compare_row *row = &c->row[i];
		const struct verdict_row *v = &row->v;

		sb_csv_text(&csv, name(c, row->base_kernel));
		sb_csv_text(&csv, name(c, row->new_kernel));
		sb_csv_text(&csv, name(c, row->bench));
		sb_csv_text(&csv, name(c, row->phase));
		sb_csv_text(&csv, name(c, row->metric));
		sb_csv_text(&csv, compare_statistic_name(row->statistic));
		sb_csv_text(&csv, name(c, row->unit));
		sb_csv_text(&csv, v->gates ? "yes" : "no");
		sb_csv_u64(&csv, v->bases);
		sb_csv_u64(&csv, v->news);
		sb_csv_double(&csv, v->base_mean);
		sb_csv_double(&csv, v->new_mean);
		optional(&csv, v->relative, v->change * 100);
		optional(&csv, v->interval, v->low * 100);
		optional(&csv, v->interval, v->high * 100);
		optional(&csv, true, v->p);
		optional(&csv, v->gates, v->adjusted);
		optional(&csv, v->relative, v->visible * 100);
		sb_csv_text(&csv, row->identical ? "identical" : verdict_name(v->verdict));
		if (v->boots_needed)
			sb_csv_u64(&csv, v->boots_needed);
		else
			sb_csv_empty(&csv);
		sb_csv_end_row(&csv);
	}
	return 0;
}

int compare_print(const struct comparison *c, const struct compare_options *options, FILE *out)
{
	int ret;

	if (!strcmp(options->format, "csv"))
		ret = print_csv(c, out);
	else if (!strcmp(options->format, "json"))
		ret = compare_print_json(c, options, out);
	else
		ret = print_text(c, options, out);
	return ret ? ret : sb_flush(out, "the comparison");
}
