// SPDX-License-Identifier: GPL-2.0-only
/* benchcmp: everything that is computed from the CSV files of a run. */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "../core/version.h"
#include "boots.h"
#include "bound.h"
#include "commit.h"
#include "compare_main.h"
#include "dataset.h"
#include "estimate.h"
#include "html.h"
#include "kcidb.h"
#include "ktap.h"
#include "plotdata.h"
#include "shapes.h"
#include "summary.h"
#include "sweeps.h"
#include "tables.h"
#include "trend.h"

#define WORDS_MAX 8

struct arguments {
	char *word[WORDS_MAX];
	unsigned int words;
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (a->words == WORDS_MAX)
		argp_error(state, "too many arguments");
	a->word[a->words++] = arg;
	return 0;
}

static int summarise(struct dataset *d)
{
	int ret = summary_write_results(d);

	if (!ret)
		ret = summary_write(d);
	return ret ? ret : tables_write(d);
}

static int boots(struct dataset *d)
{
	return boots_print(d, stdout);
}

static int commit_block(struct dataset *d)
{
	return commit_print(d, stdout);
}

static int ktap(struct dataset *d)
{
	return ktap_print(d, stdout);
}

/* Commands that work on a run folder, beside the folder of the published figures. */
static const struct {
	const char *name;
	int (*run)(struct dataset *d);
} commands[] = {
	{ "summary", summarise },   { "plotdata", plotdata_write },
	{ "commit", commit_block }, { "html", html_write },
	{ "boots", boots },	    { "ktap", ktap },
};

static int estimate(const struct arguments *a)
{
	uint64_t cells, jobs;

	if (a->words != 6 || sb_parse_u64(a->word[4], &cells) ||
	    sb_parse_u64(a->word[5], &jobs) || !jobs) {
		sb_msg("estimate takes RESULTS WORK CLOCK CELLS JOBS");
		return SB_EXIT_USAGE;
	}
	return estimate_print(a->word[1], a->word[2], a->word[3], (unsigned int)cells,
			      (unsigned int)jobs)
		       ? SB_EXIT_FAILED
		       : SB_EXIT_OK;
}

static int bound(const struct arguments *a)
{
	const struct bound b = { .bench = a->word[2],
				 .phase = a->word[3],
				 .metric = a->word[4],
				 .statistic = a->word[5],
				 .text = a->word[6] };
	bool good = false;
	struct dataset d;
	int ret;

	if (a->words != 7) {
		sb_msg("bound takes DIR BENCH PHASE METRIC STATISTIC BOUND");
		return SB_EXIT_USAGE;
	}
	ret = dataset_read(&d, a->word[1], NULL);
	ret = ret ? ret : bound_check(&d, &b, &good, stdout);
	dataset_free(&d);
	if (ret)
		return SB_EXIT_USAGE;
	return good ? SB_EXIT_OK : SB_EXIT_FAILED;
}

static int kcidb(const struct arguments *a)
{
	struct dataset d;
	int ret;

	if (a->words != 3) {
		sb_msg("kcidb takes DIR ORIGIN");
		return SB_EXIT_USAGE;
	}
	ret = dataset_read(&d, a->word[1], NULL);
	if (ret) {
		dataset_free(&d);
		return SB_EXIT_USAGE;
	}
	ret = kcidb_print(&d, a->word[2], stdout);
	dataset_free(&d);
	if (ret == -EINVAL)
		return SB_EXIT_USAGE;
	return ret ? SB_EXIT_FAILED : SB_EXIT_OK;
}

static int on_run(unsigned int command, const struct arguments *a)
{
	struct dataset d;
	int ret = dataset_read(&d, a->word[1], a->word[2]);

	if (ret) {
		dataset_free(&d);
		return SB_EXIT_USAGE;
	}
	ret = commands[command].run(&d);
	dataset_free(&d);
	if (ret == -EINVAL)
		return SB_EXIT_USAGE;
	return ret ? SB_EXIT_FAILED : SB_EXIT_OK;
}

static int dispatch(const struct arguments *a)
{
	if (a->words && !strcmp(a->word[0], "estimate"))
		return estimate(a);
	if (a->words && !strcmp(a->word[0], "bound"))
		return bound(a);
	if (a->words && !strcmp(a->word[0], "kcidb"))
		return kcidb(a);
	for (unsigned int i = 0; a->words && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(a->word[0], commands[i].name) && a->words == 3)
			return on_run(i, a);
	sb_msg("no such command, or not its arguments (see --help)");
	return SB_EXIT_USAGE;
}

static int shapes(int argc, char **argv)
{
	if (argc < 3) {
		sb_msg("shapes takes DIR KERNEL...");
		return SB_EXIT_USAGE;
	}
	return shapes_main(argv[1], (const char *const *)&argv[2], (unsigned int)argc - 2);
}

/* Commands with options of their own, or with any number of words. */
static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} programs[] = {
	{ "compare", compare_main },
	{ "trend", trend_main },
	{ "sweeps", sweeps_main },
	{ "shapes", shapes },
};

static void print_version(FILE *out, struct argp_state *state)
{
	(void)state;
	fprintf(out, "benchcmp (stallbench) %s\n", SB_VERSION);
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = on_option,
		.args_doc = "COMMAND ARGUMENT...",
		.doc = "Computes everything that is computed from the CSV files of a run\v"
		       "REFERENCE is the folder of the published figures.\n"
		       "  summary DIR REFERENCE   writes results.csv, summary.csv, tables.txt, and\n"
		       "                          columns.csv, sweep.csv where they apply\n"
		       "  plotdata DIR REFERENCE  writes plots/*.dat\n"
		       "  html DIR REFERENCE      writes report.html, with the pictures there are\n"
		       "  boots DIR REFERENCE     prints every boot's primary figures as CSV\n"
		       "  commit DIR REFERENCE    prints the block for a commit message\n"
		       "  ktap DIR REFERENCE      prints the cells as KTAP\n"
		       "  kcidb DIR ORIGIN        prints JSON for KernelCI's database, submitted by\n"
		       "                          the system ORIGIN\n"
		       "  compare --help          compares kernels or runs\n"
		       "  sweeps RUN...           sweeps of several runs side by side\n"
		       "  trend FIGURE KERNEL RUN...   one figure over many runs\n"
		       "  bound DIR BENCH PHASE METRIC STATISTIC BOUND   good (0) or bad (1)?\n"
		       "  shapes DIR KERNEL...    tables and plot data of a scaling run\n"
		       "  estimate RESULTS WORK CLOCK CELLS JOBS   how long a plan will take\n",
	};
	struct arguments a = { 0 };
	int ret;

	argp_program_version_hook = print_version;
	argp_err_exit_status = SB_EXIT_USAGE;
	/* A closed pipe is an error of write, with a message; other signals end all this. */
	if (signal(SIGPIPE, SIG_IGN) == SIG_ERR) {
		sb_err(errno, "ignoring SIGPIPE");
		return SB_EXIT_FAILED;
	}
	for (unsigned int i = 0; argc > 1 && i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!strcmp(argv[1], programs[i].name))
			return programs[i].main(argc - 1, argv + 1);
	ret = argp_parse(&argp, argc, argv, 0, NULL, &a);
	if (ret) {
		sb_err(ret, "parsing the command line");
		return SB_EXIT_USAGE;
	}
	return dispatch(&a);
}
