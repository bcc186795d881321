/* SPDX-License-Identifier: GPL-2.0-only */
/* How long a plan will take, from the wall times of earlier runs. */
#ifndef REPORT_ESTIMATE_H
#define REPORT_ESTIMATE_H

/*
 * Prints one line: the time that so many cells, jobs at once, will take, if each takes what
 * cells took on average in the finished runs below the folder results with the same work
 * (profile, benchmarks and their options, as in run.csv) and clock; or that there were none.
 * Runs whose files are damaged are left out, after a message.
 * Returns 0 or -errno after a message.
 */
int estimate_print(const char *results, const char *work, const char *clock, unsigned int cells,
		   unsigned int jobs);

#endif
