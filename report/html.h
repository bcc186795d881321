/* SPDX-License-Identifier: GPL-2.0-only */
/* report.html: one file that holds all of a run and needs nothing beside it. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stdio.h>

#include "dataset.h"

/* Writes DIR/report.html. Returns 0 or -errno after a message. */
int html_write(struct dataset *d);

/* Text, with what HTML would take for markup written otherwise. */
void html_text(FILE *out, const char *text);

/* A table cell, numbers to the right. */
void html_cell(FILE *out, const char *text);
void html_number(FILE *out, double value);

/*
 * A cell, as wide as so many, with the name of a kernel, which may break where a parameter
 * begins or ends; and a row that is nothing else, above those of the kernel.
 */
void html_kernel(FILE *out, const char *name, unsigned int columns);
void html_kernel_row(FILE *out, const char *name, unsigned int columns);

/*
 * The sections, each with its heading; one without content writes nothing. Each returns 0, or
 * -errno after a message. html_csv shows a file of the run folder: sweep.csv or columns.csv.
 */
int html_verdict(const struct dataset *d, FILE *out);
int html_figures(const struct dataset *d, FILE *out);
int html_csv(const struct dataset *d, const char *file, const char *heading, FILE *out);
int html_plots(const struct dataset *d, FILE *out);
int html_cells(const struct dataset *d, FILE *out);
int html_environment(const struct dataset *d, FILE *out);
int html_repeat(const struct dataset *d, FILE *out);

#endif
