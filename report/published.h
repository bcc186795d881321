/* SPDX-License-Identifier: GPL-2.0-only */
/* The published figures, as files of the folder DATASET.reference; each may be missing. */
#ifndef REPORT_PUBLISHED_H
#define REPORT_PUBLISHED_H

#include "dataset.h"

#define PUBLISHED_MAX 32

/* sweep.BENCH.METRIC.PARAM.csv: value,figure, ascending. PARAM is the last part of its name. */
struct published_curve {
	unsigned int points;
	double value[PUBLISHED_MAX], figure[PUBLISHED_MAX];
};

/* No file is an empty curve. Returns 0, or -errno after a message. */
int published_curve(const struct dataset *d, const struct metric_info *m, const char *parameter,
		    struct published_curve *c);

/* The figure at a value, or NULL. */
const double *published_at(const struct published_curve *c, double value);

/* columns.BENCH.csv: kernel,phase,metric,unit,figure. */
struct published_columns {
	unsigned int figures;
	struct {
		char kernel[192], phase[64], metric[64], unit[16];
		double figure;
	} row[PUBLISHED_MAX];
};

/* No file is no figures. Returns 0, or -errno after a message. */
int published_columns(const struct dataset *d, const char *bench, struct published_columns *c);

/* The figure of a kernel, phase and metric in this unit, or NULL. */
const double *published_column(const struct published_columns *c, const char *kernel,
			       const char *phase, const char *metric, const char *unit);

#endif
