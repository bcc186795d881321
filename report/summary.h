/* SPDX-License-Identifier: GPL-2.0-only */
/* results.csv and summary.csv of a run, from those of its cells. */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "dataset.h"

#define SUMMARY_HEADER                                                                           \
	"kernel,bench,phase,metric,unit,better,boots,n,errors,min,avg,max,var,p50,p90,p99,p999," \
	"boot_avg_min,boot_avg_max,boot_avg_sd,boot_max_min,boot_max_max,boot_max_sd"

/* All rows of all cells, to the letter. Returns 0 or -errno after a message. */
int summary_write_results(struct dataset *d);

/*
 * One row per kernel, benchmark, phase and metric, pooled over boots. The last columns give
 * the spread between boots of each boot's average and maximum (sd: of the population).
 */
int summary_write(struct dataset *d);

#endif
