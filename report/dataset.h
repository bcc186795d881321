/* SPDX-License-Identifier: GPL-2.0-only */
/* A run folder in memory: its plan, its metrics, and the rows of all cells. */
#ifndef REPORT_DATASET_H
#define REPORT_DATASET_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/csv.h"
#include "../core/hist.h"
#include "../core/stats.h"

/* A cell of the plan, with the word of its status file. */
struct cell {
	const char *dir; /* below the run folder: "cells/host/keygcbench/boot1" */
	const char *kernel, *bench;
	uint64_t boot;
	const char *status;
	bool passed; /* only then do its rows count */
};

struct metric_info {
	const char *bench, *metric, *unit, *better, *primary, *plot, *wobble, *help;
};

/* A row of a cell's results.csv. */
struct row {
	const char *kernel, *bench, *phase, *metric, *unit, *better;
	uint64_t boot;
	uint64_t errors;
	struct sb_stats stats;
};

/* All rows of one kernel, benchmark, phase, metric and unit, over its boots. */
struct group {
	const struct row *first; /* names */
	unsigned int boots;
	uint64_t errors;
	struct sb_stats pooled;
	struct sb_hist hist;
	struct sb_stats boot_avg, boot_max; /* one sample per boot that has any */
};

struct dataset {
	const char *dir;
	const char *reference; /* folder of the published figures, or NULL */
	void *strings;	       /* tsearch tree of interned texts */
	void *group_index;     /* tsearch tree of groups */
	struct cell *cell;
	unsigned int cells;
	struct metric_info *metric;
	unsigned int metrics;
	struct row **row;
	unsigned int rows;
	struct group **group; /* in the order of first appearance */
	unsigned int groups;
};

/*
 * Reads plan.csv, metrics.csv and the results.csv and hist.csv of all cells that passed:
 * figures of a cell that failed, was cut short, or whose kernel complained are not pooled with
 * others. Returns 0, or -errno after a message; the dataset is to be freed in any case.
 */
int dataset_read(struct dataset *d, const char *dir, const char *reference);
void dataset_free(struct dataset *d);

/* One copy of each text, alive as long as the dataset; NULL when memory is out. */
const char *dataset_intern(struct dataset *d, const char *text);

/* Opens a file of the run folder itself for writing. Returns 0 or -errno after a message. */
int dataset_create(const struct dataset *d, const char *name, struct sb_csv *out);

/* Path of a file below the run folder; to be freed. NULL after a message when memory is out. */
char *dataset_path(const struct dataset *d, const char *below, const char *name);

#endif
