// SPDX-License-Identifier: GPL-2.0-only
#include "shapes.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "../core/stream.h"
#include "folder.h"
#include "readcsv.h"

/* "200-ring-10000" */
static bool parse_name(const char *name, struct shape_point *p)
{
	char keyrings[SB_NUM_LEN], keys[SB_NUM_LEN];
	int end = 0;

	return sscanf(name, "%31[0-9]-%15[a-z]-%31[0-9]%n", keyrings, p->release, keys, &end) ==
		       3 &&
	       !name[end] && !sb_parse_u64(keyrings, &p->keyrings) &&
	       !sb_parse_u64(keys, &p->keys);
}

static int keep(struct shape_figure *f, const char *text)
{
	if (!*text)
		return 0;
	f->known = true;
	return sb_parse_double(text, &f->value);
}

/* Fields: metric, n, avg, max. */
static int on_result(char **f, unsigned long line, void *data)
{
	struct shape_point *p = data;
	struct shape_figure n = { 0 }, avg = { 0 };
	int ret = 0;

	if (!strcmp(f[0], "gc_work")) {
		ret = keep(&p->work_max, f[3]);
		ret = ret ? ret : keep(&n, f[1]);
		ret = ret ? ret : keep(&avg, f[2]);
		p->work_total = (struct shape_figure){ n.value * avg.value, avg.known };
		p->executions = n;
	} else if (!strcmp(f[0], "gc_work_cpu")) {
		ret = keep(&p->work_cpu_max, f[3]);
	} else if (!strcmp(f[0], "bystander")) {
		ret = keep(&p->bystander_max, f[3]);
	} else if (!strcmp(f[0], "drain")) {
		ret = keep(&p->drain, f[3]);
	}
	if (ret)
		sb_msg("line %lu: not a number", line);
	return ret;
}

/* Fields: kind, text. */
static int on_finding(char **f, unsigned long line, void *data)
{
	struct shape_point *p = data;

	(void)line;
	if (strstr(f[1], "workqueue lockup"))
		p->lockups++;
	else if (!strcmp(f[0], "hogged"))
		p->hogged++;
	else if (strcmp(f[0], "benign"))
		p->other++;
	return 0;
}

static int read_file(const char *folder, const char *name, const char *const *columns,
		     int (*row)(char **fields, unsigned long line, void *data),
		     struct shape_point *p)
{
	int ret = readcsv_at(columns, row, p, "%s/%s", folder, name);

	/* A guest that came to no end has left nothing. */
	return ret == -ENOENT ? 0 : ret;
}

/* @folder is that of the point @name. */
static int add_point(struct shapes *s, const char *folder, const char *name, const char *kernel)
{
	static const char *const results[] = { "metric", "n", "avg", "max", NULL };
	static const char *const console[] = { "kind", "text", NULL };
	struct shape_point p = { .kernel = kernel }, *grown;
	int ret;

	if (!parse_name(name, &p))
		return 0; /* a log beside them */
	ret = cell_status(p.status, folder, ".");
	/* Its guest is at work, or was cut short. */
	if (ret || !strcmp(p.status, "incomplete") || !strcmp(p.status, "interrupted") ||
	    !strcmp(p.status, "not run"))
		return ret;
	ret = read_file(folder, "results.csv", results, on_result, &p);
	ret = ret ? ret : read_file(folder, "console.csv", console, on_finding, &p);
	if (ret)
		return ret;
	grown = reallocarray(s->point, s->points + 1, sizeof(p));
	if (!grown)
		return sb_err(ENOMEM, "reading %s", folder);
	grown[s->points] = p;
	s->point = grown;
	s->points++;
	return 0;
}

static int read_kernel(struct shapes *s, const char *kernel)
{
	struct folder points;
	char *path, *point;
	int ret;

	if (asprintf(&path, "%s/points/%s", s->dir, kernel) < 0)
		return sb_err(ENOMEM, "reading %s", s->dir);
	ret = folder_read(&points, path);
	for (int i = 0; i < points.entries && !ret; i++) {
		const char *name = points.entry[i]->d_name;

		if (asprintf(&point, "%s/%s", path, name) < 0) {
			ret = sb_err(ENOMEM, "reading %s", path);
			break;
		}
		ret = add_point(s, point, name, kernel);
		free(point);
	}
	folder_free(&points);
	free(path);
	return ret;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int in_order(const void *a, const void *b, void *data)
{
	const struct shape_point *x = a, *y = b;
	const struct shapes *s = data;
	int ret = strcmp(x->release, y->release);
	unsigned int i = 0, j = 0;

	ret = ret ? ret : compare_u64(x->keyrings, y->keyrings);
	ret = ret ? ret : compare_u64(x->keys, y->keys);
	if (ret)
		return ret;
	while (s->kernel[i] != x->kernel)
		i++;
	while (s->kernel[j] != y->kernel)
		j++;
	return compare_u64(i, j);
}

int shapes_read(struct shapes *s, const char *dir, const char *const *kernel,
		unsigned int kernels)
{
	int ret = 0;

	*s = (struct shapes){ .dir = dir, .kernel = kernel, .kernels = kernels };
	for (unsigned int i = 0; i < kernels && !ret; i++)
		ret = read_kernel(s, kernel[i]);
	if (!ret && !s->points) {
		sb_msg("%s holds no points of these kernels (scripts/scaling)", dir);
		ret = -ENOENT;
	}
	if (s->points)
		qsort_r(s->point, s->points, sizeof(*s->point), in_order, s);
	return ret;
}

void shapes_free(struct shapes *s)
{
	free(s->point);
	s->point = NULL;
	s->points = 0;
}

const struct shape_point *shapes_other(const struct shapes *s, const struct shape_point *p,
				       unsigned int kernel)
{
	for (unsigned int i = 0; i < s->points; i++) {
		const struct shape_point *o = &s->point[i];

		if (o->kernel == s->kernel[kernel] && o->keyrings == p->keyrings &&
		    o->keys == p->keys && !strcmp(o->release, p->release))
			return o;
	}
	return NULL;
}

int shapes_main(const char *dir, const char *const *kernel, unsigned int kernels)
{
	struct shapes s;
	int ret = shapes_read(&s, dir, kernel, kernels);

	if (!ret)
		ret = shapes_write(&s);
	if (!ret) {
		shapes_tables(&s, stdout);
		ret = sb_flush(stdout, "the tables");
	}
	shapes_free(&s);
	return ret == -ENOENT ? SB_EXIT_USAGE : ret ? SB_EXIT_FAILED : SB_EXIT_OK;
}
