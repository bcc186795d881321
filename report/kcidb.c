// SPDX-License-Identifier: GPL-2.0-only
#include "kcidb.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/stream.h"
#include "cellfile.h"
#include "kcidb_build.h"
#include "primary.h"
#include "readcsv.h"

#define SCHEMA_MAJOR 5
#define SCHEMA_MINOR 3

struct report {
	const struct dataset *d;
	const char *origin;
	char start[64]; /* of the run; empty when it is not known */
	json_t *checkouts, *builds, *tests;
	int err;
};

/* Appends an object of which there may be one already. */
static void add(struct report *r, json_t *list, json_t *object, bool once)
{
	const char *id = json_string_value(json_object_get(object, "id"));
	json_t *other;
	size_t i;

	if (!object || !id) {
		r->err = sb_err(ENOMEM, "a report for KCIDB");
		json_decref(object);
		return;
	}
	if (once) {
		json_array_foreach(list, i, other)
		{
			if (strcmp(json_string_value(json_object_get(other, "id")), id))
				continue;
			json_decref(object);
			return;
		}
	}
	if (json_array_append_new(list, object))
		r->err = sb_err(ENOMEM, "a report for KCIDB");
}

/* What the schema makes of our words: whether the kernel, the benchmark or the harness is at
 * fault. */
static const char *status_of(const struct cell *c)
{
	static const struct {
		const char *ours, *theirs;
	} words[] = {
		{ "skip", "SKIP" },  { "fail", "ERROR" }, { "timeout", "FAIL" },
		{ "panic", "FAIL" }, { "splat", "FAIL" },
	};

	if (c->passed)
		return "PASS";
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].ours, c->status))
			return words[i].theirs;
	return "MISS";
}

/* A node of a test's path is letters, digits, "_" and "-". */
static char *node(char *text)
{
	for (char *at = text; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '_' && *at != '-')
			*at = '_';
	return text;
}

static json_t *id_of(const struct report *r, const struct cell *c, const char *path)
{
	const char *slash = strrchr(r->d->dir, '/');

	/* A folder of the same name may hold another run: what tells them apart is when. */
	return json_sprintf("%s:%s/%s/%s%s%s", r->origin,
			    slash && slash[1] ? slash + 1 : r->d->dir, r->start, c->dir,
			    path ? "/" : "", path ? path : "");
}

static int on_fact(char **f, unsigned long line, void *data)
{
	static const char *const wanted[] = { "accelerator", "clock",  "qemu_version", "seed",
					      "cpu_model",   "cpus",   "memory",       "hz",
					      "preemption",  "machine" };

	(void)line;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!strcmp(wanted[i], f[0]))
			json_object_set_new(data, f[0], json_string(f[1]));
	return 0;
}

static json_t *environment(struct report *r, const struct cell *c)
{
	static const char *const pair[] = { "key", "value", NULL };
	static const char *const files[] = { "env.csv", "guest-env.csv" };
	json_t *misc = json_object();

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && misc; i++) {
		char *path = dataset_path(r->d, c->dir, files[i]);
		int ret = path ? readcsv(path, pair, on_fact, misc) : -ENOMEM;

		if (ret && ret != -ENOENT)
			r->err = ret;
		free(path);
	}
	return json_pack("{s:o}", "misc", misc);
}

static void cell_test(struct report *r, const struct cell *c, const char *build)
{
	char why[256], bench[64];
	json_t *seconds = NULL;
	double spent;

	r->err = cellfile_reason(r->d, c, why, sizeof(why));
	if (cellfile_seconds(r->d, c, &spent))
		seconds = json_real(spent);
	snprintf(bench, sizeof(bench), "%s", c->bench);
	add(r, r->tests,
	    json_pack("{s:o, s:s, s:s, s:o, s:s, s:s*, s:s*, s:o*, s:o, s:{s:s, s:I}}", "id",
		      id_of(r, c, NULL), "build_id", build, "origin", r->origin, "path",
		      json_sprintf("stallbench.%s", node(bench)), "status", status_of(c),
		      "comment", why[0] ? why : NULL, "start_time",
		      r->start[0] ? r->start : NULL, "duration", seconds, "environment",
		      environment(r, c), "misc", "kernel", c->kernel, "boot",
		      (json_int_t)c->boot),
	    false);
}

static void figure_test(struct report *r, const struct cell *c, const char *build,
			const struct row *row, const struct primary *pair)
{
	char bench[64], phase[64], metric[64], path[256];
	double value;

	if (!statistic_of(&row->stats, pair->statistic, &value) || !isfinite(value))
		return;
	snprintf(bench, sizeof(bench), "%s", row->bench);
	snprintf(phase, sizeof(phase), "%s", row->phase);
	snprintf(metric, sizeof(metric), "%s", row->metric);
	snprintf(path, sizeof(path), "stallbench.%s.%s.%s.%s", node(bench), node(phase),
		 node(metric), statistic_name(pair->statistic));
	add(r, r->tests,
	    json_pack("{s:o, s:s, s:s, s:s, s:s, s:{s:f, s:s*}, s:{s:s, s:I, s:s, s:I}}", "id",
		      id_of(r, c, path), "build_id", build, "origin", r->origin, "path", path,
		      "status", "DONE", "number", "value", value, "unit",
		      strcmp(row->unit, "count") ? row->unit : NULL, "misc", "kernel",
		      c->kernel, "boot", (json_int_t)c->boot, "better", row->better, "samples",
		      (json_int_t)row->stats.n),
	    false);
}

static void figures(struct report *r, const struct cell *c, const char *build)
{
	struct primary pairs[PRIMARY_MAX];
	unsigned int n = primary_pairs(r->d, c->bench, pairs, PRIMARY_MAX);

	for (unsigned int i = 0; i < r->d->rows && !r->err; i++) {
		const struct row *row = r->d->row[i];

		if (row->boot != c->boot || strcmp(row->kernel, c->kernel) ||
		    strcmp(row->bench, c->bench))
			continue;
		for (unsigned int p = 0; p < n && !r->err; p++)
			if (!strcmp(pairs[p].metric->metric, row->metric))
				figure_test(r, c, build, row, &pairs[p]);
	}
}

static void cell(struct report *r, const struct cell *c)
{
	struct kcidb_kernel k = { 0 };
	json_t *build = NULL;

	r->err = kcidb_kernel_read(r->d, c->kernel, &k);
	if (!r->err)
		add(r, r->checkouts, kcidb_checkout(&k, r->origin), true);
	if (!r->err)
		add(r, r->builds, kcidb_build(&k, r->origin), true);
	if (!r->err)
		build = json_sprintf("%s:%s", r->origin, k.image);
	if (!r->err)
		cell_test(r, c, json_string_value(build));
	if (!r->err && c->passed)
		figures(r, c, json_string_value(build));
	json_decref(build);
	kcidb_kernel_free(&k);
}

static int on_run(char **f, unsigned long line, void *data)
{
	struct report *r = data;

	(void)line;
	if (!strcmp(f[0], "start"))
		snprintf(r->start, sizeof(r->start), "%s", f[1]);
	return 0;
}

static int read_run(struct report *r)
{
	static const char *const pair[] = { "key", "value", NULL };
	char *path = dataset_path(r->d, NULL, "run.csv");
	int ret = path ? readcsv(path, pair, on_run, r) : -ENOMEM;

	free(path);
	return ret == -ENOENT ? 0 : ret;
}

int kcidb_print(const struct dataset *d, const char *origin, FILE *out)
{
	struct report r = { .d = d, .origin = origin };
	json_t *all;

	if (!origin[0] || origin[strspn(origin, "abcdefghijklmnopqrstuvwxyz0123456789_")]) {
		sb_msg("'%s' is no name of an origin: lower case letters, digits and _",
		       origin);
		return -EINVAL;
	}
	r.checkouts = json_array();
	r.builds = json_array();
	r.tests = json_array();
	all = json_pack("{s:{s:i, s:i}, s:o, s:o, s:o}", "version", "major", SCHEMA_MAJOR,
			"minor", SCHEMA_MINOR, "checkouts", r.checkouts, "builds", r.builds,
			"tests", r.tests);
	r.err = all ? read_run(&r) : sb_err(ENOMEM, "a report for KCIDB");
	for (unsigned int i = 0; i < d->cells && !r.err; i++)
		cell(&r, &d->cell[i]);
	if (!r.err && json_dumpf(all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)))
		r.err = sb_err(errno ? errno : EIO, "writing JSON");
	if (!r.err)
		fputc('\n', out);
	if (!r.err)
		r.err = sb_flush(out, "JSON");
	json_decref(all);
	return r.err;
}
