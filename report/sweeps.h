/* SPDX-License-Identifier: GPL-2.0-only */
/* The sweeps of several runs side by side, and beside the published one. */
#ifndef REPORT_SWEEPS_H
#define REPORT_SWEEPS_H

/*
 * "benchcmp sweeps RUN...": from the runs' sweep.csv, a table for each figure and parameter.
 * Machines of different architectures and clocks may stand beside each other, since every curve
 * is also shown divided by its own plateau, its last point. Prints rows for gnuplot when --data
 * comes first; @argv[0] is "sweeps". Returns the exit status: 0, 1 not written, 2 bad input.
 */
int sweeps_main(int argc, char **argv);

#endif
