// SPDX-License-Identifier: GPL-2.0-only
/* What comes first in report.html: did it get better or worse, and by how much. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "compare.h"
#include "html.h"

static const struct {
	const char *words, *class;
} verdicts[] = {
	[COMPARE_OK] = { "No regression", "good" },
	[COMPARE_REGRESSION] = { "Regression", "bad" },
	[COMPARE_BAD_INPUT] = { "Rows or cells are missing: nothing is decided", "bad" },
	[COMPARE_CANNOT_SAY] = { "Cannot say: too few boots for any verdict", "" },
	[COMPARE_NOT_COMPARABLE] = { "Not comparable", "bad" },
};

static unsigned int passed_cells(const struct dataset *d)
{
	unsigned int passed = 0;

	for (unsigned int i = 0; i < d->cells; i++)
		passed += d->cell[i].passed;
	return passed;
}

static bool several_kernels(const struct dataset *d)
{
	for (unsigned int g = 1; g < d->groups; g++)
		if (strcmp(d->group[g]->first->kernel, d->group[0]->first->kernel))
			return true;
	return false;
}

static void percent(FILE *out, bool known, double share)
{
	if (known && isfinite(share))
		fprintf(out, "<td class=n>%+.2f %%</td>", share * 100);
	else
		fputs("<td class=n>n/a</td>", out);
}

static void row(const struct comparison *c, const struct compare_row *r, FILE *out)
{
	static const char *const class[VERDICTS] = {
		[VERDICT_BETTER] = "good", [VERDICT_WORSE] = "bad"
	};
	const struct verdict_row *v = &r->v;

	fprintf(out, "<tr><td class=\"%s\">", class[v->verdict] ? class[v->verdict] : "");
	html_text(out, r->identical ? "identical to the byte" : verdict_name(v->verdict));
	if (v->verdict == VERDICT_CANNOT_SAY)
		fprintf(out, "<br>(%u boots would)", v->boots_needed);
	fputs("</td><td>", out);
	html_text(out, names_text(&c->names, r->phase));
	fputs("<br>", out);
	html_text(out, names_text(&c->names, r->metric));
	fprintf(out, " %s</td>", compare_statistic_name(r->statistic));
	percent(out, v->relative, v->change);
	if (v->interval)
		fprintf(out, "<td class=n>%+.2f to %+.2f %%</td>", v->low * 100, v->high * 100);
	else
		fputs("<td class=n>-</td>", out);
	html_number(out, v->base_mean);
	html_number(out, v->new_mean);
	html_cell(out, names_text(&c->names, r->unit));
	fputs("</tr>\n", out);
}

#define VERDICT_COLUMNS 7

static void table(const struct comparison *c, FILE *out)
{
	const struct compare_row *last = NULL;

	/* What a phone shows without scrolling is the answer. */
	fputs("<div class=scroll><table><tr><th>verdict<th>figure<th>change<th>95 % interval"
	      "<th>base<th>new<th>unit</tr>\n",
	      out);
	for (uint32_t i = 0; i < c->rows; i++) {
		const struct compare_row *r = &c->row[i];

		if (!r->v.gates)
			continue;
		if (!last || last->new_kernel != r->new_kernel)
			html_kernel_row(out, names_text(&c->names, r->new_kernel),
					VERDICT_COLUMNS);
		last = r;
		row(c, r, out);
	}
	fputs("</table></div>\n", out);
}

static void notes(const struct compare_note *note, const char *title, FILE *out)
{
	if (!note)
		return;
	fprintf(out, "<h3>%s</h3><ul>", title);
	for (; note; note = note->next) {
		fputs("<li>", out);
		html_text(out, note->text);
		fputs("</li>", out);
	}
	fputs("</ul>\n", out);
}

static int compared(const struct dataset *d, FILE *out)
{
	const struct compare_options options = {
		.base = d->dir, .format = "text", .threshold = NAN, .alpha = VERDICT_ALPHA
	};
	struct comparison c;
	int ret = compare_run(&c, &options), status;

	if (!ret) {
		status = compare_status(&c, &options);
		fprintf(out, "<p class=\"verdict %s\"><b>%s</b>: base ", verdicts[status].class,
			verdicts[status].words);
		html_text(out, names_text(&c.names, c.base.kernel[0]));
		fprintf(out,
			". Changes below %g %% do not count; at most %g %% of reports raise a "
			"false alarm.</p>\n",
			c.rules.threshold * 100, c.rules.alpha * 100);
		table(&c, out);
		notes(c.missing, "Missing rows or cells", out);
		notes(c.obstacles, "What differs and should not", out);
	}
	compare_free(&c);
	/* A run cut short has no verdict, and its report is still worth having. */
	return ret == -EINVAL ? 0 : ret;
}

int html_verdict(const struct dataset *d, FILE *out)
{
	unsigned int passed = passed_cells(d);

	fprintf(out, "<p class=\"verdict %s\"><b>%u of %u cells passed</b></p>\n",
		passed == d->cells ? "good" : "bad", passed, d->cells);
	return several_kernels(d) ? compared(d, out) : 0;
}
