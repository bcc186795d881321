/* SPDX-License-Identifier: GPL-2.0-only */
/* Command line of a benchmark: the options every one has, and those its table declares. */
#ifndef SB_OPTIONS_H
#define SB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench.h"

#define SB_EXTRA_FACTS 16

struct sb_common_options {
	const char *csv, *hist, *events, *env; /* files to write, or NULL */
	const char *kernel;
	const char *phases;		  /* comma list, or NULL = all */
	const char *fact[SB_EXTRA_FACTS]; /* KEY=VALUE for env.csv */
	unsigned int facts;
	uint64_t boot;
	bool list_phases, list_metrics;
};

/*
 * Parses argv into common, run->profile, run->seed, run->quiet and run->params, with the
 * profile's defaults for what is not given. Returns 0, or an exit status to leave with
 * (wrong usage has been explained on stderr). --help and --version exit.
 */
int sb_options_parse(struct sb_run *run, struct sb_common_options *common, int argc,
		     char **argv);

/* Whether the comma list names the phase; NULL names all. */
bool sb_list_has(const char *list, const char *name);

#endif
