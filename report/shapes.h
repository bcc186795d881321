/* SPDX-License-Identifier: GPL-2.0-only */
/* What scripts/scaling measured: the key collector against N in every shape of keys. */
#ifndef REPORT_SHAPES_H
#define REPORT_SHAPES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cellstatus.h"

/* A figure that a guest may not have had; times in us. */
struct shape_figure {
	double value;
	bool known;
};

/* One guest: a folder points/KERNEL/KEYRINGS-RELEASE-KEYS. */
struct shape_point {
	const char *kernel; /* one of struct shapes' */
	uint64_t keyrings, keys;
	char release[16]; /* clear, ring or expiring */
	char status[CELL_STATUS_SIZE];
	struct shape_figure work_max, work_total, bystander_max, drain, executions;
	struct shape_figure work_cpu_max;    /* CPU time of an execution, at most */
	unsigned int hogged, lockups, other; /* console findings */
};

struct shapes {
	const char *dir;
	const char *const *kernel; /* the first is what the others are held against */
	unsigned int kernels;
	struct shape_point *point; /* by release, keyrings, keys, then in the kernels' order */
	unsigned int points;
};

/*
 * Reads the points of the named kernels below dir. Points that did not pass keep what they have
 * of figures: a kernel whose console complained is what this is about.
 * Returns 0, or -errno after a message; to be freed in any case.
 */
int shapes_read(struct shapes *s, const char *dir, const char *const *kernel,
		unsigned int kernels);
void shapes_free(struct shapes *s);

/* The point of another kernel in the same shape with the same number of keys, or NULL. */
const struct shape_point *shapes_other(const struct shapes *s, const struct shape_point *p,
				       unsigned int kernel);

/*
 * Writes scaling.csv, scaling.txt and plots/shapes.keygcbench.dat below s->dir. Returns 0 or
 * -errno after a message.
 */
int shapes_write(const struct shapes *s);

/* The tables for people. */
void shapes_tables(const struct shapes *s, FILE *out);

/* "benchcmp shapes DIR KERNEL...": reads and writes; returns an exit status. */
int shapes_main(const char *dir, const char *const *kernel, unsigned int kernels);

#endif
