/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#define ROWS_MOST 32
#define BOOTS_MOST 20 /* on a side */
#define REAL_BOOTS_MOST 256
#define FILES_MOST 8

struct calibration {
	uint64_t seed, reports;
	unsigned int rows;
	const char *file[FILES_MOST];
	unsigned int files;
};

struct tally {
	uint64_t reports, alarmed; /* alarmed: with any verdict of better or worse */
	uint64_t comparisons, alarms;
	uint64_t found; /* reports whose first row was called worse */
};

/* The boots of one kernel: what every boot measured, row by row. */
struct boots {
	char name[64];
	bool exact; /* virtual time */
	unsigned int rows, boots;
	char row_name[ROWS_MOST][96];
	double wobble[ROWS_MOST]; /* a share; NAN: none declared */
	double figure[ROWS_MOST][REAL_BOOTS_MOST];
};

/* Reads kernel,clock,row,wobble_percent,boot,figure; every row must have every boot. 0 or
 * -errno. */
int boots_read(struct boots *d, const char *path);

#endif
