// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "../core/stream.h"
#include "estimate.h"
#include "folder.h"
#include "readcsv.h"

struct history {
	const char *work, *clock;
	bool same_work, same_clock, finished; /* of the run that is being read */
	char cell[128];			      /* last one seen */
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
	else if (!strncmp(f[0], "end_", 4))
		h->finished = !strcmp(f[0], "end_finished");
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

/* A folder that is no run, or whose files are damaged, counts for nothing. */
static int read_run(const char *run, struct history *h)
{
	static const char *const facts[] = { "key", "value", NULL };
	static const char *const steps[] = { "cell", "seconds", NULL };
	struct history before = *h;
	int ret;

	h->same_work = false;
	h->same_clock = false;
	h->finished = false;
	h->cell[0] = '\0';
	ret = readcsv_at(facts, on_fact, h, "%s/run.csv", run);
	if (!ret && h->same_work && h->same_clock && h->finished)
		ret = readcsv_at(steps, on_step, h, "%s/timing.csv", run);
	if (ret)
		*h = before;
	if (ret == -EINVAL)
		sb_msg("%s is left out of the estimate", run);
	return ret == -ENOENT || ret == -EINVAL ? 0 : ret;
}

int estimate_print(const char *results, const char *work, const char *clock, unsigned int cells,
		   unsigned int jobs)
{
	struct history h = { .work = work, .clock = clock };
	unsigned int rounds = (cells + jobs - 1) / jobs;
	struct folder runs;
	int ret = folder_read(&runs, results);

	for (int i = 0; i < runs.entries && !ret; i++) {
		char *run;

		if (asprintf(&run, "%s/%s", results, runs.entry[i]->d_name) < 0) {
			ret = sb_err(ENOMEM, "estimating");
			break;
		}
		ret = read_run(run, &h);
		free(run);
	}
	folder_free(&runs);
	if (ret)
		return ret;
	if (h.cells)
		printf("about %.0f s, judging by %u cells of earlier runs\n",
		       h.seconds / h.cells * rounds, h.cells);
	else
		printf("time unknown, no earlier run of the same benchmarks, options and clock\n");
	return sb_flush(stdout, "the estimate");
}
