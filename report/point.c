// SPDX-License-Identifier: GPL-2.0-only
#include "point.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"

#define CURVE_LEAST 3 /* points: two are a comparison, no curve */

/* The first "+PARAM=" with a dot in PARAM: the name of a file may hold a plus of its own. */
static const char *first_parameter(const char *name)
{
	const char *plus = name;

	while ((plus = strchr(plus, '+'))) {
		size_t name_len = strcspn(++plus, "+=");

		if (plus[name_len] == '=' && memchr(plus, '.', name_len))
			return plus;
	}
	return NULL;
}

void point_parse(const char *name, struct point *p)
{
	const char *at = first_parameter(name);
	int len = at ? (int)(at - 1 - name) : (int)strlen(name);

	memset(p, 0, sizeof(*p));
	snprintf(p->kernel, sizeof(p->kernel), "%.*s", len, name);
	while (at && *at && p->parameters < POINT_PARAMETERS) {
		size_t word = strcspn(at, "+"), equals = strcspn(at, "=+");
		unsigned int i = p->parameters++;

		snprintf(p->parameter[i].name, sizeof(p->parameter[i].name), "%.*s",
			 (int)equals, at);
		if (equals < word)
			snprintf(p->parameter[i].value, sizeof(p->parameter[i].value), "%.*s",
				 (int)(word - equals - 1), at + equals + 1);
		at += word + (at[word] == '+');
	}
}

const char *point_value(const struct point *p, const char *parameter)
{
	for (unsigned int i = 0; i < p->parameters; i++)
		if (!strcmp(p->parameter[i].name, parameter))
			return p->parameter[i].value;
	return NULL;
}

/* Kernels of the plan, each once. */
struct names {
	const struct dataset *d;
	struct point *point;
	const char **name;
	unsigned int count;
};

static int names_read(const struct dataset *d, struct names *n)
{
	n->d = d;
	n->count = 0;
	n->point = calloc(d->cells + 1, sizeof(*n->point));
	n->name = calloc(d->cells + 1, sizeof(*n->name));
	if (!n->point || !n->name)
		return sb_err(ENOMEM, "reading the kernels of a sweep");
	for (unsigned int i = 0; i < d->cells; i++) {
		unsigned int known = 0;

		while (known < n->count && strcmp(n->name[known], d->cell[i].kernel))
			known++;
		if (known < n->count)
			continue;
		n->name[n->count] = d->cell[i].kernel;
		point_parse(n->name[n->count], &n->point[n->count]);
		n->count++;
	}
	return 0;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Whether two parameters have equal values in every kernel: then they are one axis. */
static bool tied(const struct names *n, const char *a, const char *b)
{
	for (unsigned int i = 0; i < n->count; i++)
		if (!same_text(point_value(&n->point[i], a), point_value(&n->point[i], b)))
			return false;
	return true;
}

static void append(char *text, size_t size, const char *separator, const char *more)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s%s", len ? separator : "", more);
}

/*
 * The curve that a point belongs to when parameter @axis is the one that moves. False when the
 * value is no number, or when an earlier parameter of the point stands for the same axis.
 */
static bool curve_of(const struct names *n, unsigned int i, unsigned int axis,
		     struct sweep_curve *c, double *value)
{
	const struct point *p = &n->point[i];

	memset(c, 0, sizeof(*c));
	snprintf(c->others, sizeof(c->others), "%s", p->kernel);
	for (unsigned int k = 0; k < p->parameters; k++) {
		const char *name = p->parameter[k].name;

		if (tied(n, name, p->parameter[axis].name)) {
			if (k < axis)
				return false;
			append(c->axis, sizeof(c->axis), ",", name);
			continue;
		}
		append(c->others, sizeof(c->others), "+", name);
		append(c->others, sizeof(c->others), "=", p->parameter[k].value);
	}
	return !sb_parse_double(p->parameter[axis].value, value);
}

static int insert(struct sweep_curve *c, double value, const char *kernel)
{
	unsigned int at = c->points;

	if (c->points == CURVE_POINTS)
		return -E2BIG;
	c->points++;
	for (; at > 0 && c->value[at - 1] > value; at--) {
		c->value[at] = c->value[at - 1];
		c->kernel[at] = c->kernel[at - 1];
	}
	c->value[at] = value;
	c->kernel[at] = kernel;
	return 0;
}

/* Returns how many curves there are, or -E2BIG after a message. */
static int collect(const struct names *n, struct sweep_curve *curves)
{
	int count = 0;

	for (unsigned int i = 0; i < n->count; i++) {
		for (unsigned int axis = 0; axis < n->point[i].parameters; axis++) {
			struct sweep_curve c;
			double value;
			int at = 0;

			if (!curve_of(n, i, axis, &c, &value))
				continue;
			while (at < count && (strcmp(curves[at].axis, c.axis) ||
					      strcmp(curves[at].others, c.others)))
				at++;
			if (at == count)
				curves[count++] = c;
			if (!insert(&curves[at], value, n->name[i]))
				continue;
			sb_msg("%s/plan.csv: the sweep of %s on %s has more than %d points",
			       n->d->dir, c.axis, c.others, CURVE_POINTS);
			return -E2BIG;
		}
	}
	return count;
}

int sweep_curves(const struct dataset *d, struct sweep_curve **curves)
{
	struct names n;
	int ret = names_read(d, &n), found = 0;

	*curves = ret ? NULL : calloc(n.count * POINT_PARAMETERS + 1, sizeof(**curves));
	if (!ret && !*curves)
		ret = sb_err(ENOMEM, "reading the curves of a sweep");
	if (!ret && *curves)
		found = collect(&n, *curves);
	ret = found < 0 ? found : ret;
	for (int i = 0; i < found; i++)
		if ((*curves)[i].points >= CURVE_LEAST)
			(*curves)[ret++] = (*curves)[i];
	free(n.point);
	free(n.name);
	return ret;
}
