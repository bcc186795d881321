// SPDX-License-Identifier: GPL-2.0-only
/* What the figures of report.html depend on, kernel by kernel, and how to have them again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "readcsv.h"
#include "side.h"

static const char *text_or(const char *text, const char *otherwise)
{
	return text ? text : otherwise;
}

static bool differs(const struct side *s, const char *key)
{
	const char *first = text_or(side_fact(s, s->kernel[0], key), "");

	for (uint32_t i = 1; i < s->kernels; i++)
		if (strcmp(first, text_or(side_fact(s, s->kernel[i], key), "")))
			return true;
	return false;
}

static void fact_row(const struct side *s, const char *key, FILE *out)
{
	fprintf(out, "<tr%s>", differs(s, key) ? " class=differs" : "");
	html_cell(out, key);
	if (!differs(s, key)) {
		fprintf(out, "<td colspan=%u>", s->kernels);
		html_text(out, text_or(side_fact(s, s->kernel[0], key), "-"));
		fputs("</td></tr>\n", out);
		return;
	}
	for (uint32_t i = 0; i < s->kernels; i++)
		html_cell(out, text_or(side_fact(s, s->kernel[i], key), "-"));
	fputs("</tr>\n", out);
}

/* Each fact once, in the order of the first kernel's; long command lines scroll. */
static void facts(const struct side *s, FILE *out)
{
	for (uint32_t i = 0; i < s->facts; i++) {
		uint32_t before = 0;

		while (before < i && s->fact[before].key != s->fact[i].key)
			before++;
		if (before == i && s->fact[i].kernel != NAMES_NONE)
			fact_row(s, names_text(s->names, s->fact[i].key), out);
	}
}

int html_environment(const struct dataset *d, FILE *out)
{
	struct names names = { 0 };
	struct side side;
	int ret = side_read(&side, d->dir, &names);

	/* An interrupted run: its cells say what they have. */
	if (ret == -EINVAL)
		ret = 0;
	else if (!ret && side.kernels) {
		fputs("<h2>Environment</h2><p class=soft>What differs between kernels is "
		      "marked.</p>\n<div class=scroll><table><tr><th>",
		      out);
		for (uint32_t i = 0; i < side.kernels; i++) {
			fputs("<th>", out);
			html_text(out, names_text(&names, side.kernel[i]));
		}
		fputs("</tr>\n", out);
		facts(&side, out);
		fputs("</table></div>\n", out);
	}
	side_free(&side);
	names_free(&names);
	return ret;
}

static int on_fact(char **f, unsigned long line, void *data)
{
	FILE *out = data;

	(void)line;
	if (!strcmp(f[0], "command_line")) {
		fputs("<pre>", out);
		html_text(out, f[1]);
		fputs("</pre>\n", out);
		return 0;
	}
	fputs("<small>", out);
	html_text(out, f[0]);
	fputs(": ", out);
	html_text(out, f[1]);
	fputs("</small><br>\n", out);
	return 0;
}

int html_repeat(const struct dataset *d, FILE *out)
{
	static const char *const pair[] = { "key", "value", NULL };
	char *path = dataset_path(d, NULL, "run.csv");
	int ret;

	if (!path)
		return -ENOMEM;
	fputs("<h2>To repeat it</h2>\n", out);
	ret = readcsv(path, pair, on_fact, out);
	free(path);
	return ret == -ENOENT ? 0 : ret;
}
