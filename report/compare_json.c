// SPDX-License-Identifier: GPL-2.0-only
#include "compare_json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

#include "../core/msg.h"

static json_t *number(bool known, double value)
{
	return known && isfinite(value) ? json_real(value) : json_null();
}

static json_t *row_object(const struct comparison *c, const struct compare_row *row)
{
	const struct verdict_row *v = &row->v;

	return json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:i, s:i, s:f, s:f, s:o, s:o, s:o, s:o, "
		"s:o, s:o, s:s, s:b, s:i}",
		"base_kernel", names_text(&c->names, row->base_kernel), "new_kernel",
		names_text(&c->names, row->new_kernel), "bench",
		names_text(&c->names, row->bench), "phase", names_text(&c->names, row->phase),
		"metric", names_text(&c->names, row->metric), "statistic",
		compare_statistic_name(row->statistic), "unit",
		names_text(&c->names, row->unit), "gates", v->gates, "base_boots", v->bases,
		"new_boots", v->news, "base", v->base_mean, "new", v->new_mean, "change",
		number(v->relative, v->change), "low", number(v->interval, v->low), "high",
		number(v->interval, v->high), "p", number(true, v->p), "p_corrected",
		number(v->gates, v->adjusted), "visible", number(v->relative, v->visible),
		"verdict", verdict_name(v->verdict), "identical", row->identical,
		"boots_needed", v->boots_needed);
}

static json_t *notes(const struct compare_note *note)
{
	json_t *list = json_array();

	for (; note; note = note->next)
		json_array_append_new(list, json_string(note->text));
	return list;
}

int compare_print_json(const struct comparison *c, const struct compare_options *options,
		       FILE *out)
{
	json_t *rows = json_array(), *all;
	int ret = 0;

	for (uint32_t i = 0; i < c->rows; i++)
		if (json_array_append_new(rows, row_object(c, &c->row[i])))
			ret = sb_err(ENOMEM, "writing JSON");
	all = json_pack("{s:s, s:s?, s:i, s:f, s:f, s:i, s:b, s:o, s:o, s:o, s:o}", "base",
			c->base.path, "new", c->other == &c->base ? NULL : c->new.path,
			"status", compare_status(c, options), "threshold", c->rules.threshold,
			"alpha", c->rules.alpha, "gates", (int)c->rules.gates, "virtual_time",
			c->rules.exact, "rows", rows, "missing", notes(c->missing),
			"not_comparable", notes(c->obstacles), "differences",
			notes(c->differences));
	if (!all)
		ret = sb_err(ENOMEM, "writing JSON");
	if (!ret && json_dumpf(all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)))
		ret = sb_err(errno ? errno : EIO, "writing JSON");
	if (!ret)
		fputc('\n', out);
	json_decref(all);
	return ret;
}
