// SPDX-License-Identifier: GPL-2.0-only
/* benchcmp: everything that is computed from the CSV files of a run. */
#include <argp.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/stop.h"
#include "../core/version.h"
#include "dataset.h"
#include "plotdata.h"
#include "summary.h"
#include "tables.h"

struct arguments {
	const char *command, *dir;
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (!a->command)
			a->command = arg;
		else if (!a->dir)
			a->dir = arg;
		else
			argp_error(state, "unexpected argument '%s'", arg);
		return 0;
	case ARGP_KEY_END:
		if (!a->dir)
			argp_error(state, "a command and a run folder are needed");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int summarise(struct dataset *d)
{
	int ret = summary_write_results(d);

	if (!ret)
		ret = summary_write(d);
	return ret ? ret : tables_write(d);
}

static void print_version(FILE *out, struct argp_state *state)
{
	(void)state;
	fprintf(out, "benchcmp (stallbench) %s\n", SB_VERSION);
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = on_option,
		.args_doc = "summary|plotdata DIR",
		.doc = "Works on a run folder\v"
		       "  summary   writes results.csv, summary.csv and tables.txt\n"
		       "  plotdata  writes plots/*.dat\n",
	};
	struct arguments a = { 0 };
	struct dataset d;
	int ret;

	argp_program_version_hook = print_version;
	argp_err_exit_status = SB_EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	if (strcmp(a.command, "summary") && strcmp(a.command, "plotdata")) {
		sb_msg("no command '%s' (see --help)", a.command);
		return SB_EXIT_USAGE;
	}
	if (sb_stop_install())
		return SB_EXIT_FAILED;
	ret = dataset_read(&d, a.dir);
	if (ret) {
		dataset_free(&d);
		return SB_EXIT_USAGE;
	}
	ret = strcmp(a.command, "summary") ? plotdata_write(&d) : summarise(&d);
	dataset_free(&d);
	return ret ? SB_EXIT_FAILED : SB_EXIT_OK;
}
