// SPDX-License-Identifier: GPL-2.0-only
#include "side.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "cellstatus.h"
#include "readcsv.h"

static const char *const result_columns[] = { "kernel", "bench", "phase", "metric", "unit",
					      "better", "boot",	 "n",	  "errors", "min",
					      "avg",	"max",	 "var",	  "p50",    "p90",
					      "p99",	"p999",	 NULL };
enum { BOOT = 6, N, ERRORS, MIN, AVG, MAX, VAR, P50, P90, P99, P999 };

static int invalid(const struct side *s, unsigned long line, const char *text,
		   const char *column)
{
	sb_msg("%s: line %lu: '%s' in column %s is not a number", s->path, line, text, column);
	return -EINVAL;
}

static int grow(void **array, uint32_t count, uint32_t *room, size_t size)
{
	uint32_t more = *room ? 2 * *room : 1024;
	void *grown;

	if (count < *room)
		return 0;
	grown = reallocarray(*array, more, size);
	if (!grown)
		return sb_err(ENOMEM, "reading results");
	*array = grown;
	*room = more;
	return 0;
}

/* FNV-1a of the fields from boot on: are two rows the same text? */
static uint64_t hash_fields(char *const *f)
{
	uint64_t hash = 14695981039346656037u;

	for (unsigned int i = BOOT; i <= P999; i++)
		for (const char *c = f[i];; c++) {
			hash = (hash ^ (unsigned char)*c) * 1099511628211u;
			if (!*c)
				break;
		}
	return hash;
}

static int read_numbers(const struct side *s, char **f, unsigned long line, struct record *r)
{
	uint64_t boot;

	if (sb_parse_u64(f[BOOT], &boot) || boot > UINT32_MAX)
		return invalid(s, line, f[BOOT], "boot");
	r->boot = (uint32_t)boot;
	if (sb_parse_u64(f[N], &r->n))
		return invalid(s, line, f[N], "n");
	r->p99 = NAN;
	if (!r->n)
		return 0;
	if (sb_parse_double(f[AVG], &r->avg))
		return invalid(s, line, f[AVG], "avg");
	if (sb_parse_double(f[MAX], &r->max))
		return invalid(s, line, f[MAX], "max");
	if (*f[P99] && sb_parse_double(f[P99], &r->p99))
		return invalid(s, line, f[P99], "p99");
	return 0;
}

static int read_names(struct side *s, char **f, struct record *r)
{
	uint32_t *to[6] = {
		&r->kernel, &r->bench, &r->phase, &r->metric, &r->unit, &r->better
	};

	for (unsigned int i = 0; i < 6; i++) {
		if (s->last[i] == NAMES_NONE || strcmp(names_text(s->names, s->last[i]), f[i]))
			s->last[i] = names_id(s->names, f[i]);
		if (s->last[i] == NAMES_NONE)
			return -ENOMEM;
		*to[i] = s->last[i];
	}
	return 0;
}

static int on_row(char **f, unsigned long line, void *data)
{
	struct side *s = data;
	struct record *r;
	int ret = grow((void **)&s->record, s->records, &s->room, sizeof(*s->record));

	if (ret)
		return ret;
	r = &s->record[s->records];
	*r = (struct record){ .text = hash_fields(f) };
	ret = read_names(s, f, r);
	if (!ret)
		ret = read_numbers(s, f, line, r);
	if (!ret)
		s->records++;
	return ret;
}

static int order(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

int side_by_key(const struct record *a, const struct record *b)
{
	int ret = order(a->bench, b->bench);

	ret = ret ? ret : order(a->phase, b->phase);
	return ret ? ret : order(a->metric, b->metric);
}

static int by_all(const void *x, const void *y, void *data)
{
	const struct record *records = data;
	const struct record *a = &records[*(const uint32_t *)x];
	const struct record *b = &records[*(const uint32_t *)y];
	int ret = order(a->kernel, b->kernel);

	ret = ret ? ret : side_by_key(a, b);
	ret = ret ? ret : order(a->unit, b->unit);
	return ret ? ret : order(a->boot, b->boot);
}

/*
 * Sorts numbers of records and then moves the records, cycle by cycle: sorting the records
 * themselves would take as much memory again.
 */
static int sort_records(struct side *s)
{
	uint32_t *from = calloc(s->records + 1, sizeof(*from));

	if (!from)
		return sb_err(ENOMEM, "sorting results");
	for (uint32_t i = 0; i < s->records; i++)
		from[i] = i;
	qsort_r(from, s->records, sizeof(*from), by_all, s->record);
	for (uint32_t i = 0; i < s->records; i++) {
		struct record first = s->record[i];
		uint32_t to = i;

		while (from[to] != i) {
			uint32_t next = from[to];

			s->record[to] = s->record[next];
			from[to] = to;
			to = next;
		}
		s->record[to] = first;
		from[to] = to;
	}
	free(from);
	return 0;
}

static int add_kernel(struct side *s, uint32_t kernel)
{
	uint32_t *grown;

	for (uint32_t i = 0; i < s->kernels; i++)
		if (s->kernel[i] == kernel)
			return 0;
	grown = reallocarray(s->kernel, s->kernels + 1, sizeof(*grown));
	if (!grown)
		return sb_err(ENOMEM, "reading results");
	s->kernel = grown;
	s->kernel[s->kernels++] = kernel;
	return 0;
}

static int on_fact(char **f, unsigned long line, void *data)
{
	struct side *s = data;
	struct fact *grown = reallocarray(s->fact, s->facts + 1, sizeof(*grown));

	(void)line;
	if (!grown)
		return sb_err(ENOMEM, "reading results");
	s->fact = grown;
	grown += s->facts;
	*grown =
		(struct fact){ s->reading, names_id(s->names, f[0]), names_id(s->names, f[1]) };
	if (grown->key == NAMES_NONE || grown->value == NAMES_NONE)
		return -ENOMEM;
	s->facts++;
	return 0;
}

/* A file of the run folder; one that is missing is none. */
static int read_below(struct side *s, const char *below, const char *name,
		      const char *const *columns,
		      int (*row)(char **f, unsigned long line, void *data))
{
	return readcsv_at(columns, row, s, "%s/%s%s%s", s->path, below, *below ? "/" : "",
			  name);
}

static const char *const pair[] = { "key", "value", NULL };

/* Notes a cell that should have figures and has none: a panic must not look like no change. */
static int add_status(struct side *s, const char *cell)
{
	char word[CELL_STATUS_SIZE];
	struct lost_cells lost = { .kernel = s->reading, .count = 1 }, *grown;
	int ret = cell_status(word, s->path, cell);

	if (ret || cell_ended_well(word))
		return ret;
	lost.status = names_id(s->names, word);
	lost.first = names_id(s->names, cell);
	if (lost.status == NAMES_NONE || lost.first == NAMES_NONE)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->losts; i++)
		if (s->lost[i].kernel == lost.kernel && s->lost[i].status == lost.status) {
			s->lost[i].count++;
			return 0;
		}
	grown = reallocarray(s->lost, s->losts + 1, sizeof(*grown));
	if (!grown)
		return sb_err(ENOMEM, "reading results");
	s->lost = grown;
	s->lost[s->losts++] = lost;
	return 0;
}

/* The first cell of each kernel that has an environment speaks for all. */
static int on_cell(char **f, unsigned long line, void *data)
{
	struct side *s = data;
	uint32_t before = s->facts;
	int ret;

	(void)line;
	s->reading = names_id(s->names, f[1]);
	if (s->reading == NAMES_NONE)
		return -ENOMEM;
	ret = add_kernel(s, s->reading);
	ret = ret ? ret : add_status(s, f[0]);
	for (uint32_t i = 0; i < before; i++)
		if (s->fact[i].kernel == s->reading)
			return ret;
	if (!ret)
		ret = read_below(s, f[0], "env.csv", pair, on_fact);
	if (!ret || ret == -ENOENT)
		ret = read_below(s, f[0], "guest-env.csv", pair, on_fact);
	return ret == -ENOENT ? 0 : ret;
}

/* A run that was interrupted and went on has both lines, the last one true. */
static int on_end(char **f, unsigned long line, void *data)
{
	bool *finished = data;

	(void)line;
	if (!strncmp(f[0], "end_", 4))
		*finished = !strcmp(f[0], "end_finished");
	return 0;
}

static int check_finished(struct side *s)
{
	bool finished = true;
	int ret = readcsv_at(pair, on_end, &finished, "%s/run.csv", s->path);

	if (!ret && !finished) {
		sb_msg("%s: this run was interrupted: go on with it first (run-all.sh --resume)",
		       s->path);
		return -EINVAL;
	}
	return ret == -ENOENT ? 0 : ret;
}

static int read_folder(struct side *s)
{
	static const char *const plan[] = { "cell", "kernel", NULL };
	int ret = check_finished(s);

	if (!ret)
		ret = read_below(s, "", "plan.csv", plan, on_cell);
	if (ret == -ENOENT)
		sb_msg("%s is not a run folder (no plan.csv)", s->path);
	if (!ret) {
		/* For all kernels alike. */
		s->reading = NAMES_NONE;
		ret = read_below(s, "", "run.csv", pair, on_fact);
		ret = ret == -ENOENT ? 0 : ret;
	}
	if (!ret) {
		ret = read_below(s, "", "results.csv", result_columns, on_row);
		if (ret == -ENOENT)
			sb_msg("%s holds no results.csv: not a finished run", s->path);
	}
	return ret;
}

static int read_bare(struct side *s)
{
	int ret = readcsv(s->path, result_columns, on_row, s);

	s->bare = true;
	if (ret == -ENOENT)
		sb_err(ENOENT, "%s", s->path);
	for (uint32_t i = 0; i < s->records && !ret; i++)
		if (!i || s->record[i].kernel != s->record[i - 1].kernel)
			ret = add_kernel(s, s->record[i].kernel);
	return ret;
}

int side_read(struct side *s, const char *path, struct names *names)
{
	struct stat st;
	int ret;

	*s = (struct side){ .path = path, .names = names };
	for (unsigned int i = 0; i < 6; i++)
		s->last[i] = NAMES_NONE;
	if (stat(path, &st))
		return sb_err(errno, "%s", path);
	ret = S_ISDIR(st.st_mode) ? read_folder(s) : read_bare(s);
	return ret ? ret : sort_records(s);
}

void side_free(struct side *s)
{
	free(s->record);
	free(s->fact);
	free(s->lost);
	free(s->kernel);
	*s = (struct side){ 0 };
}

const char *side_fact(const struct side *s, uint32_t kernel, const char *key)
{
	for (uint32_t i = 0; i < s->facts; i++)
		if ((s->fact[i].kernel == kernel || s->fact[i].kernel == NAMES_NONE) &&
		    !strcmp(names_text(s->names, s->fact[i].key), key))
			return names_text(s->names, s->fact[i].value);
	return NULL;
}
