// SPDX-License-Identifier: GPL-2.0-only
#include "compare_main.h"

#include <argp.h>
#include <math.h>
#include <string.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "compare.h"

enum { KEY_FORMAT = 1, KEY_THRESHOLD, KEY_ALPHA, KEY_MISSING, KEY_ALLOW };

static const struct argp_option options[] = {
	{ "format", KEY_FORMAT, "FORMAT", 0, "text (default), markdown, csv or json", 0 },
	{ "threshold", KEY_THRESHOLD, "PERCENT", 0,
	  "changes below do not count (default 2; 0.5 in virtual time)", 0 },
	{ "alpha", KEY_ALPHA, "PERCENT", 0, "chance of any false alarm in a report (default 2)",
	  0 },
	{ "allow-missing", KEY_MISSING, NULL, 0,
	  "rows that only one side has, and cells that did not pass, fail nothing", 0 },
	{ "allow", KEY_ALLOW, "FACT,...", 0,
	  "compare although these facts differ: clock,hz, say, or all", 0 },
	{ 0 }
};

static double percent(const char *text, const char *what, double most, struct argp_state *state)
{
	double value;

	if (sb_parse_double(text, &value) || value < 0 || value > most)
		argp_error(state, "%s: '%s' is not a percentage from 0 to %g", what, text,
			   most);
	return value / 100;
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct compare_options *o = state->input;

	switch (key) {
	case KEY_FORMAT:
		if (strcmp(arg, "text") && strcmp(arg, "markdown") && strcmp(arg, "csv") &&
		    strcmp(arg, "json"))
			argp_error(state, "--format: '%s' is none of text, markdown, csv, json",
				   arg);
		o->format = arg;
		break;
	case KEY_THRESHOLD:
		o->threshold = percent(arg, "--threshold", 1000, state);
		break;
	case KEY_ALPHA:
		o->alpha = percent(arg, "--alpha", 50, state);
		if (o->alpha <= 0)
			argp_error(state, "--alpha: nothing is ever certain");
		break;
	case KEY_MISSING:
		o->allow_missing = true;
		break;
	case KEY_ALLOW:
		o->allow = arg;
		break;
	case ARGP_KEY_ARG:
		if (o->new)
			argp_error(state, "too many arguments: '%s'", arg);
		*(o->base ? &o->new : &o->base) = arg;
		break;
	case ARGP_KEY_END:
		if (!o->base)
			argp_error(state, "nothing to compare");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int compare_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = on_option,
		.args_doc = "RUN\nBASE NEW",
		.doc = "Compares the kernels of a run with its first one, or two runs (folders, or bare "
		       "results.csv files)\v"
		       "Exit: 0 no regression, 1 regression, 2 bad or unmatched input, 3 cannot say "
		       "(too few boots), 4 not comparable.",
	};
	struct compare_options o = { .format = "text",
				     .threshold = NAN,
				     .alpha = VERDICT_ALPHA };
	struct comparison c;
	int status = COMPARE_BAD_INPUT;
	int ret = argp_parse(&argp, argc, argv, 0, NULL, &o);

	if (ret) {
		sb_err(ret, "parsing the command line");
		return status;
	}
	if (!compare_run(&c, &o) && !compare_print(&c, &o, stdout))
		status = compare_status(&c, &o);
	compare_free(&c);
	return status;
}
