/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef REPORT_COMPARE_MAIN_H
#define REPORT_COMPARE_MAIN_H

/* "benchcmp compare": parses, compares, prints; returns the exit status. */
int compare_main(int argc, char **argv);

#endif
