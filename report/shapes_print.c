// SPDX-License-Identifier: GPL-2.0-only
/* scaling.csv, the tables and the picture's data of struct shapes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../core/csv.h"
#include "../core/msg.h"
#include "../core/num.h"
#include "../core/stream.h"
#include "shapes.h"

#define US_PER_MS 1000

/* What is held against N, with the words of the headings; the first of them are drawn too. */
static const struct {
	const char *name;
	size_t offset;
} figures[] = {
	{ "gc_work max", offsetof(struct shape_point, work_max) },
	{ "bystander max", offsetof(struct shape_point, bystander_max) },
	{ "drain", offsetof(struct shape_point, drain) },
	{ "gc_work CPU max", offsetof(struct shape_point, work_cpu_max) },
};

#define FIGURES (sizeof(figures) / sizeof(figures[0]))
/* Of each point, in the large table and in the picture. */
#define DRAWN 3

static const struct shape_figure *figure(const struct shape_point *p, unsigned int i)
{
	return (const struct shape_figure *)((const char *)p + figures[i].offset);
}

static void csv_figure(struct sb_csv *c, const struct shape_figure *f)
{
	if (f->known)
		sb_csv_double(c, f->value);
	else
		sb_csv_empty(c);
}

static int write_csv(const struct shapes *s, const char *path)
{
	struct sb_csv c;
	int ret = sb_csv_open(&c, path);

	if (ret)
		return ret;
	sb_csv_header(&c, "kernel,keyrings,release,keys,status,executions,gc_work_max_us,"
			  "gc_work_cpu_max_us,gc_work_total_us,bystander_max_us,drain_us,"
			  "hogged,lockups,other_findings");
	for (unsigned int i = 0; i < s->points; i++) {
		const struct shape_point *p = &s->point[i];

		sb_csv_text(&c, p->kernel);
		sb_csv_u64(&c, p->keyrings);
		sb_csv_text(&c, p->release);
		sb_csv_u64(&c, p->keys);
		sb_csv_text(&c, p->status);
		csv_figure(&c, &p->executions);
		csv_figure(&c, &p->work_max);
		csv_figure(&c, &p->work_cpu_max);
		csv_figure(&c, &p->work_total);
		csv_figure(&c, &p->bystander_max);
		csv_figure(&c, &p->drain);
		sb_csv_u64(&c, p->hogged);
		sb_csv_u64(&c, p->lockups);
		sb_csv_u64(&c, p->other);
		sb_csv_end_row(&c);
	}
	return sb_csv_close(&c);
}

static void cell(FILE *out, const struct shape_figure *f)
{
	if (f->known)
		fprintf(out, " %9.1f", f->value / US_PER_MS);
	else
		fprintf(out, " %9s", "-");
}

/* "2 lockups" and "1 hogged" as "2L 1H"; anything else by its number. */
static void findings(FILE *out, const struct shape_point *p)
{
	char text[64] = "";
	size_t len = 0;

	if (p->lockups)
		len += (size_t)snprintf(text, sizeof(text), "%uL", p->lockups);
	if (p->hogged)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%uH", p->hogged);
	if (p->other)
		snprintf(text + len, sizeof(text) - len, "%u?", p->other);
	fprintf(out, " %5s", *text ? text : "-");
}

static void row(const struct shapes *s, const struct shape_point *p, FILE *out)
{
	char keys[SB_NUM_LEN];

	fprintf(out, "  %-8s %8llu %10s", p->release, (unsigned long long)p->keyrings,
		sb_num_grouped(keys, p->keys));
	for (unsigned int k = 0; k < s->kernels; k++) {
		const struct shape_point *o = shapes_other(s, p, k);
		const struct shape_point none = { 0 };

		fputs(" |", out);
		for (unsigned int f = 0; f < DRAWN; f++)
			cell(out, figure(o ? o : &none, f));
		findings(out, o ? o : &none);
	}
	fputc('\n', out);
}

/* The first of the points with this shape and number of keys. */
static bool first_of_row(const struct shapes *s, unsigned int i)
{
	const struct shape_point *p = &s->point[i], *before = i ? p - 1 : NULL;

	return !before || before->keyrings != p->keyrings || before->keys != p->keys ||
	       strcmp(before->release, p->release);
}

static void big_table(const struct shapes *s, FILE *out)
{
	fprintf(out,
		"keygcbench against N, virtual time; maxima and drain in ms; console: L lockup "
		"reports, H \"hogged CPU\" lines, ? others\n  %-8s %8s %10s",
		"", "", "");
	for (unsigned int k = 0; k < s->kernels; k++)
		fprintf(out, " | %-35s", s->kernel[k]);
	fprintf(out, "\n  %-8s %8s %10s", "release", "keyrings", "N");
	for (unsigned int k = 0; k < s->kernels; k++)
		fprintf(out, " | %9s %9s %9s %5s", "gc_work", "bystander", "drain", "says");
	fputc('\n', out);
	for (unsigned int i = 0; i < s->points; i++)
		if (first_of_row(s, i))
			row(s, &s->point[i], out);
}

/* How many times smaller than on the first kernel: least and most over the shapes. */
static void factors(const struct shapes *s, unsigned int kernel, uint64_t keys, unsigned int f,
		    FILE *out)
{
	double least = 0, most = 0;
	unsigned int shapes = 0;

	for (unsigned int i = 0; i < s->points; i++) {
		const struct shape_point *p = &s->point[i];
		const struct shape_point *base = shapes_other(s, p, 0);
		double factor;

		if (p->kernel != s->kernel[kernel] || p->keys != keys || !base ||
		    !figure(base, f)->known || !figure(p, f)->known || figure(p, f)->value <= 0)
			continue;
		factor = figure(base, f)->value / figure(p, f)->value;
		if (!shapes || factor < least)
			least = factor;
		if (!shapes || factor > most)
			most = factor;
		shapes++;
	}
	if (shapes)
		fprintf(out, "  %7.1f to %-7.1f", least, most);
	else
		fprintf(out, "  %18s", "-");
}

/* How many times larger than with the fewest keys: the most over the shapes. */
static void growth(const struct shapes *s, unsigned int kernel, uint64_t fewest, uint64_t keys,
		   unsigned int f, FILE *out)
{
	double most = 0;

	for (unsigned int i = 0; i < s->points; i++) {
		const struct shape_point *p = &s->point[i];
		struct shape_point small = *p;
		const struct shape_point *base;

		small.keys = fewest;
		base = shapes_other(s, &small, kernel);
		if (p->kernel != s->kernel[kernel] || p->keys != keys || !base ||
		    !figure(base, f)->known || !figure(p, f)->known ||
		    figure(base, f)->value <= 0)
			continue;
		if (figure(p, f)->value / figure(base, f)->value > most)
			most = figure(p, f)->value / figure(base, f)->value;
	}
	if (most > 0)
		fprintf(out, "  %18.1f", most);
	else
		fprintf(out, "  %18s", "-");
}

/* Each number of keys once, ascending; returns how many. */
static unsigned int all_keys(const struct shapes *s, uint64_t *keys, unsigned int max)
{
	unsigned int count = 0;

	for (;;) {
		uint64_t next = 0;

		for (unsigned int i = 0; i < s->points; i++) {
			uint64_t n = s->point[i].keys;

			if ((!count || n > keys[count - 1]) && (!next || n < next))
				next = n;
		}
		if (!next || count == max)
			return count;
		keys[count++] = next;
	}
}

static void summary(const struct shapes *s, FILE *out)
{
	uint64_t keys[32] = { 0 };
	unsigned int count = all_keys(s, keys, sizeof(keys) / sizeof(keys[0]));
	char text[SB_NUM_LEN];

	for (unsigned int k = 0; k < s->kernels; k++) {
		if (k)
			fprintf(out,
				"\n%s: how many times smaller than on %s, over all shapes\n",
				s->kernel[k], s->kernel[0]);
		for (unsigned int part = k ? 0 : 1; part < 2; part++) {
			if (part)
				fprintf(out,
					"\n%s: how many times larger than at N = %s, at worst\n",
					s->kernel[k], sb_num_grouped(text, keys[0]));
			fprintf(out, "  %10s", "N");
			for (unsigned int f = 0; f < FIGURES; f++)
				fprintf(out, "  %18s", figures[f].name);
			fputc('\n', out);
			for (unsigned int i = part; i < count; i++) {
				fprintf(out, "  %10s", sb_num_grouped(text, keys[i]));
				for (unsigned int f = 0; f < FIGURES; f++)
					if (part)
						growth(s, k, keys[0], keys[i], f, out);
					else
						factors(s, k, keys[i], f, out);
				fputc('\n', out);
			}
		}
	}
}

void shapes_tables(const struct shapes *s, FILE *out)
{
	big_table(s, out);
	summary(s, out);
}

/* A block per kernel and shape: N, gc_work, bystander, drain (ms), findings. */
static void plot_data(const struct shapes *s, FILE *out)
{
	for (unsigned int k = 0; k < s->kernels; k++) {
		const struct shape_point *last = NULL;

		for (unsigned int i = 0; i < s->points; i++) {
			const struct shape_point *p = &s->point[i];
			char text[SB_NUM_LEN];

			if (p->kernel != s->kernel[k])
				continue;
			if (!last || last->keyrings != p->keyrings ||
			    strcmp(last->release, p->release))
				fprintf(out, "%s\"%s\" %u \"%s\" %llu\n",
					k || last ? "\n\n" : "", p->kernel, k, p->release,
					(unsigned long long)p->keyrings);
			fprintf(out, "%llu", (unsigned long long)p->keys);
			for (unsigned int f = 0; f < DRAWN; f++)
				fprintf(out, " %s",
					figure(p, f)->known
						? sb_num(text, figure(p, f)->value / US_PER_MS)
						: "NaN");
			fprintf(out, " %u\n", p->hogged + p->lockups + p->other);
			last = p;
		}
	}
}

static int write_text(const struct shapes *s, const char *path,
		      void (*print)(const struct shapes *s, FILE *out))
{
	FILE *out = fopen(path, "we");

	if (!out)
		return sb_err(errno, "cannot write %s", path);
	print(s, out);
	return sb_close(out, path);
}

/* The path of a name below the run's folder, to be freed. */
static int below(const struct shapes *s, const char *name, char **path)
{
	return asprintf(path, "%s/%s", s->dir, name) < 0
		       ? sb_err(ENOMEM, "writing the tables of %s", s->dir)
		       : 0;
}

int shapes_write(const struct shapes *s)
{
	char *csv = NULL, *text = NULL, *plots = NULL, *data = NULL;
	int ret = below(s, "scaling.csv", &csv);

	ret = ret ? ret : below(s, "scaling.txt", &text);
	ret = ret ? ret : below(s, "plots", &plots);
	ret = ret ? ret : below(s, "plots/shapes.keygcbench.dat", &data);
	if (!ret && mkdir(plots, 0777) && errno != EEXIST)
		ret = sb_err(errno, "cannot make %s", plots);
	ret = ret ? ret : write_csv(s, csv);
	ret = ret ? ret : write_text(s, text, shapes_tables);
	ret = ret ? ret : write_text(s, data, plot_data);
	free(csv);
	free(text);
	free(plots);
	free(data);
	return ret;
}
