/* SPDX-License-Identifier: GPL-2.0-only */
/* One figure over many runs, and the first run in which it changed. */
#ifndef REPORT_TREND_H
#define REPORT_TREND_H

/*
 * "benchcmp trend FIGURE KERNEL RUN...": FIGURE is BENCH:PHASE:METRIC:STATISTIC; an empty
 * KERNEL is the first of each run. Runs are taken in the order in which they were started.
 * Prints a table, and rows for gnuplot when @argv begins with --data. Returns the exit status:
 * 0 nothing changed for the worse, 1 something did, 2 bad input.
 */
int trend_main(int argc, char **argv);

#endif
