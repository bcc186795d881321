// SPDX-License-Identifier: GPL-2.0-only
#include "html.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/stream.h"
#include "../core/version.h"

/* Colours by variable, so that the dark scheme changes them in one place. */
static const char style[] =
	":root{color-scheme:light dark;--fg:#1b1b1b;--bg:#fff;--soft:#666;--line:#d5d5d5;"
	"--head:#f3f3f3;--bad:#b00020;--good:#0a6b2d;--mark:#fff3cd}\n"
	"@media(prefers-color-scheme:dark){:root{--fg:#e4e4e4;--bg:#161616;--soft:#a0a0a0;"
	"--line:#3a3a3a;--head:#222;--bad:#ff8a80;--good:#7bd88f;--mark:#4a3f14}}\n"
	"body{font:16px/1.45 system-ui,sans-serif;color:var(--fg);background:var(--bg);"
	"max-width:72rem;margin:0 auto;padding:1rem}\n"
	"h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.15rem;margin:2rem 0 .5rem}"
	"h3{font-size:1rem;margin:1rem 0 .3rem}\n"
	".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.86rem}"
	"th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:left;"
	"white-space:nowrap}th{background:var(--head)}"
	"td.k{white-space:normal;min-width:9rem}"
	"td.n{text-align:right;font-variant-numeric:tabular-nums}\n"
	".verdict{border-left:.4rem solid var(--line);padding:.4rem .8rem;font-size:1.1rem}"
	".verdict.bad{border-color:var(--bad)}.verdict.good{border-color:var(--good)}"
	".bad{color:var(--bad)}.good{color:var(--good)}.verdict{color:inherit}\n"
	"tr.part td{font-weight:600;background:var(--head)}"
	"tr.differs td{background:var(--mark)}p.soft,small{color:var(--soft)}"
	"pre{overflow-x:auto;background:var(--head);padding:.6rem;font-size:.85rem}\n"
	/* Pictures are drawn on white; so they stay, in either scheme. */
	"figure{margin:1rem 0;background:#fff}figure svg{width:100%;height:auto;display:block}\n"
	"@media print{body{max-width:none;font-size:10pt}h2{break-after:avoid}"
	"figure,tr{break-inside:avoid}.scroll{overflow:visible}td,th{white-space:normal}}\n";

void html_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc(*text, out);
			break;
		}
	}
}

void html_cell(FILE *out, const char *text)
{
	fputs("<td>", out);
	html_text(out, text);
	fputs("</td>", out);
}

void html_kernel(FILE *out, const char *name, unsigned int columns)
{
	fprintf(out, "<td class=k colspan=%u>", columns);
	while (*name) {
		size_t part = strcspn(name, "+=.") + 1;
		char piece[128];

		snprintf(piece, sizeof(piece), "%.*s", (int)part, name);
		html_text(out, piece);
		fputs("<wbr>", out);
		name += strnlen(piece, sizeof(piece));
	}
	fputs("</td>", out);
}

void html_kernel_row(FILE *out, const char *name, unsigned int columns)
{
	fputs("<tr class=part>", out);
	html_kernel(out, name, columns);
	fputs("</tr>\n", out);
}

void html_number(FILE *out, double value)
{
	int decimals = value == rint(value) || fabs(value) >= 1e5 ? 0
		       : fabs(value) >= 100			  ? 1
								  : 3;

	fprintf(out, "<td class=n>%.*f</td>", decimals, value);
}

static int body(const struct dataset *d, FILE *out)
{
	int ret = html_verdict(d, out);

	ret = ret ? ret : html_csv(d, "sweep.csv", "Sweep", out);
	ret = ret ? ret : html_plots(d, out);
	ret = ret ? ret : html_csv(d, "columns.csv", "Kernels side by side", out);
	ret = ret ? ret : html_figures(d, out);
	ret = ret ? ret : html_cells(d, out);
	ret = ret ? ret : html_environment(d, out);
	return ret ? ret : html_repeat(d, out);
}

int html_write(struct dataset *d)
{
	char *path = dataset_path(d, NULL, "report.html");
	FILE *out = path ? fopen(path, "we") : NULL;
	const char *slash = strrchr(d->dir, '/');
	int ret, more;

	if (!path)
		return -ENOMEM;
	if (!out) {
		ret = sb_err(errno, "cannot write %s", path);
		free(path);
		return ret;
	}
	fputs("<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n"
	      "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
	      "<link rel=icon href=\"data:,\">\n<title>stallbench: ",
	      out);
	html_text(out, slash && slash[1] ? slash + 1 : d->dir);
	fprintf(out, "</title>\n<style>\n%s</style></head>\n<body>\n<h1>stallbench: ", style);
	html_text(out, slash && slash[1] ? slash + 1 : d->dir);
	fputs("</h1>\n", out);
	ret = body(d, out);
	fprintf(out,
		"<p class=soft>Written by stallbench %s from the CSV files beside it.</p>\n"
		"</body></html>\n",
		SB_VERSION);
	more = sb_close(out, path);
	ret = ret ? ret : more;
	free(path);
	return ret;
}
