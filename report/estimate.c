// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "../core/stream.h"
#include "estimate.h"
#include "readcsv.h"

struct history {
	const char *work, *clock;
	bool same_work, same_clock; /* of the run that is being read */
	char cell[128];		    /* last one seen */
	double seconds;
	unsigned int cells;
};

static int on_fact(char **f, unsigned long line, void *data)
{
	struct history *h = data;

	(void)line;
	if (!strcmp(f[0], "work"))
		h->same_work = !strcmp(f[1], h->work);
	else if (!strcmp(f[0], "clock"))
		h->same_clock = !strcmp(f[1], h->clock);
	return 0;
}

/* Steps of one cell stand together. */
static int on_step(char **f, unsigned long line, void *data)
{
	struct history *h = data;
	double seconds;

	if (sb_parse_double(f[1], &seconds)) {
		sb_msg("line %lu: '%s' is not a number of seconds", line, f[1]);
		return -EINVAL;
	}
	h->seconds += seconds;
	if (strcmp(h->cell, f[0])) {
		snprintf(h->cell, sizeof(h->cell), "%s", f[0]);
		h->cells++;
	}
	return 0;
}

static int read_run(const char *run_csv, struct history *h)
{
	static const char *const facts[] = { "key", "value", NULL };
	static const char *const steps[] = { "cell", "seconds", NULL };
	char *timing;
	int ret;

	h->same_work = false;
	h->same_clock = false;
	h->cell[0] = '\0';
	ret = readcsv(run_csv, facts, on_fact, h);
	if (ret || !h->same_work || !h->same_clock)
		return ret;
	if (asprintf(&timing, "%.*s/timing.csv", (int)(strlen(run_csv) - strlen("/run.csv")),
		     run_csv) < 0)
		return sb_err(ENOMEM, "estimating");
	ret = readcsv(timing, steps, on_step, h);
	free(timing);
	return ret == -ENOENT ? 0 : ret;
}

int estimate_print(const char *results, const char *work, const char *clock, unsigned int cells,
		   unsigned int jobs)
{
	struct history h = { .work = work, .clock = clock };
	unsigned int rounds = (cells + jobs - 1) / jobs;
	glob_t runs = { 0 };
	char *pattern;
	int ret = 0;

	if (asprintf(&pattern, "%s/*/run.csv", results) < 0)
		return sb_err(ENOMEM, "estimating");
	glob(pattern, 0, NULL, &runs);
	for (size_t i = 0; i < runs.gl_pathc && !ret; i++)
		ret = read_run(runs.gl_pathv[i], &h);
	globfree(&runs);
	free(pattern);
	if (ret)
		return ret;
	if (h.cells)
		printf("about %.0f s, judging by %u cells of earlier runs\n",
		       h.seconds / h.cells * rounds, h.cells);
	else
		printf("time unknown, no earlier run of the same benchmarks, options and clock\n");
	return sb_flush(stdout, "the estimate");
}
