// SPDX-License-Identifier: GPL-2.0-only
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "num.h"
#include "options.h"
#include "version.h"

enum common_key {
	KEY_CSV = 256,
	KEY_HIST,
	KEY_EVENTS,
	KEY_ENV,
	KEY_FACT,
	KEY_KERNEL,
	KEY_BOOT,
	KEY_PHASE,
	KEY_PROFILE,
	KEY_SEED,
	KEY_LIST_PHASES,
	KEY_LIST_METRICS,
	KEY_BENCH, /* first option of the benchmark's table */
};

static const struct argp_option common_options[] = {
	{ "phase", KEY_PHASE, "NAME[,NAME...]", 0, "Phases to run (default: all)", 2 },
	{ "profile", KEY_PROFILE, "quick|standard|full", 0, "Defaults to use (default: quick)",
	  2 },
	{ "csv", KEY_CSV, "FILE", 0, "Write the results as CSV; - is standard output", 2 },
	{ "hist", KEY_HIST, "FILE", 0, "Write the histograms as CSV", 2 },
	{ "events", KEY_EVENTS, "FILE", 0, "Write when each sample began, for plots", 2 },
	{ "env", KEY_ENV, "FILE", 0, "Write the environment as key,value", 2 },
	{ "fact", KEY_FACT, "KEY=VALUE", 0, "A further line for --env", 2 },
	{ "kernel", KEY_KERNEL, "NAME", 0, "Name for the kernel column (default: host)", 2 },
	{ "boot", KEY_BOOT, "N", 0, "Number for the boot column (default: 1)", 2 },
	{ "seed", KEY_SEED, "N", 0, "Perturb order and timing; 0 = not at all (default)", 2 },
	{ "quiet", 'q', NULL, 0, "No progress and no table", 2 },
	{ "list-phases", KEY_LIST_PHASES, NULL, 0, "Print the phases and exit", 2 },
	{ "list-metrics", KEY_LIST_METRICS, NULL, 0, "Print the metrics as CSV and exit", 2 },
	{ 0 },
};

struct parse {
	struct sb_run *run;
	struct sb_common_options *common;
	const char **given; /* text for each option of the benchmark's table, or NULL */
};

static const char *const profiles[] = { "quick", "standard", "full", NULL };

static int choose(const char *const *choices, const char *text)
{
	for (int i = 0; choices[i]; i++)
		if (!strcmp(choices[i], text))
			return i;
	return -EINVAL;
}

bool sb_list_has(const char *list, const char *name)
{
	size_t len = strlen(name);

	if (!list)
		return true;
	while (*list) {
		size_t word = strcspn(list, ",");

		if (word == len && !strncmp(list, name, len))
			return true;
		list += word + (list[word] == ',');
	}
	return false;
}

static void out_of_bounds(const struct sb_option *o, const char *text)
{
	char min[SB_NUM_LEN], max[SB_NUM_LEN];

	sb_msg("--%s: '%s' is not a %s from %s to %s%s%s", o->name, text,
	       o->type == SB_OPT_DOUBLE ? "number" : "whole number", sb_num(min, o->min),
	       sb_num(max, o->max), o->unit ? " " : "", o->unit ? o->unit : "");
}

static int parse_whole(const struct sb_option *o, const char *text, uint64_t *value)
{
	if (!sb_parse_u64(text, value) && (double)*value >= o->min && (double)*value <= o->max)
		return 0;
	out_of_bounds(o, text);
	return -EINVAL;
}

static int parse_list(const struct sb_option *o, const char *text, struct sb_list *list)
{
	char item[SB_NUM_LEN];

	list->count = 0;
	for (;;) {
		size_t len = strcspn(text, ",");
		int ret;

		if (list->count == SB_LIST_MAX) {
			sb_msg("--%s: more than %d values", o->name, SB_LIST_MAX);
			return -EINVAL;
		}
		snprintf(item, sizeof(item), "%.*s", (int)len, text);
		ret = parse_whole(o, item, &list->value[list->count++]);
		if (ret || !text[len])
			return ret;
		text += len + 1;
	}
}

static int parse_choice(const struct sb_option *o, const char *text, int *value)
{
	char all[256] = "";

	*value = choose(o->choices, text);
	if (*value >= 0)
		return 0;
	for (int i = 0; o->choices[i]; i++) {
		size_t len = strlen(all);

		snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "", o->choices[i]);
	}
	sb_msg("--%s: '%s' is none of %s", o->name, text, all);
	return -EINVAL;
}

static int set_option(struct sb_run *run, const struct sb_option *o, const char *text)
{
	void *at = (char *)run->params + o->offset;

	switch (o->type) {
	case SB_OPT_U64:
		return parse_whole(o, text, at);
	case SB_OPT_LIST:
		return parse_list(o, text, at);
	case SB_OPT_CHOICE:
		return parse_choice(o, text, at);
	case SB_OPT_TEXT:
		*(const char **)at = text;
		return 0;
	case SB_OPT_DOUBLE:
		if (!sb_parse_double(text, at) && *(double *)at >= o->min &&
		    *(double *)at <= o->max)
			return 0;
		out_of_bounds(o, text);
		return -EINVAL;
	}
	return -EINVAL;
}

/* Names of phases, checked before anything runs: a typing error must not pass as "nothing to
 * do". */
static int check_phases(const struct sb_bench *bench, const char *list)
{
	char name[SB_PHASE_LEN];

	for (const char *at = list; *at;) {
		size_t len = strcspn(at, ",");
		bool known = false;

		snprintf(name, sizeof(name), "%.*s", (int)len, at);
		for (const struct sb_phase *p = bench->phases; p->name; p++)
			known = known || !strcmp(p->name, name);
		for (const struct sb_pool *p = bench->pools; p && p->name; p++)
			known = known || !strcmp(p->name, name);
		if (!known) {
			sb_msg("--phase: no phase '%s' (see --list-phases)", name);
			return -EINVAL;
		}
		at += len + (at[len] == ',');
	}
	return *list ? 0 : -EINVAL;
}

static int parse_number(const char *option, const char *text, uint64_t *value)
{
	if (!sb_parse_u64(text, value))
		return 0;
	sb_msg("--%s: '%s' is not a whole number", option, text);
	return -EINVAL;
}

static int parse_profile(struct sb_run *run, const char *text)
{
	int profile = choose(profiles, text);

	if (profile < 0) {
		sb_msg("--profile: '%s' is none of quick, standard, full", text);
		return -EINVAL;
	}
	run->profile = (enum sb_profile)profile;
	return 0;
}

static int add_fact(struct sb_common_options *common, const char *text)
{
	if (!strchr(text, '=') || common->facts == SB_EXTRA_FACTS) {
		sb_msg("--fact: '%s' is not KEY=VALUE, or one of more than %d", text,
		       SB_EXTRA_FACTS);
		return -EINVAL;
	}
	common->fact[common->facts++] = text;
	return 0;
}

static int parse_common(struct parse *p, int key, char *arg)
{
	struct sb_common_options *c = p->common;

	switch (key) {
	case KEY_CSV:
		c->csv = arg;
		return 0;
	case KEY_HIST:
		c->hist = arg;
		return 0;
	case KEY_EVENTS:
		c->events = arg;
		return 0;
	case KEY_ENV:
		c->env = arg;
		return 0;
	case KEY_KERNEL:
		c->kernel = arg;
		return 0;
	case KEY_FACT:
		return add_fact(c, arg);
	case KEY_BOOT:
		return parse_number("boot", arg, &c->boot);
	case KEY_SEED:
		return parse_number("seed", arg, &p->run->seed);
	case KEY_PROFILE:
		return parse_profile(p->run, arg);
	case KEY_PHASE:
		c->phases = arg;
		return check_phases(p->run->bench, arg);
	case KEY_LIST_PHASES:
		c->list_phases = true;
		return 0;
	case KEY_LIST_METRICS:
		c->list_metrics = true;
		return 0;
	case 'q':
		p->run->quiet = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct parse *p = state->input;
	int ret;

	if (key == ARGP_KEY_ARG) {
		sb_msg("unexpected argument '%s' (see --help)", arg);
		return EINVAL;
	}
	/* argp's own events have keys from 0x1000000 on. */
	if (key >= KEY_BENCH && key < ARGP_KEY_END) {
		p->given[key - KEY_BENCH] = arg;
		return 0;
	}
	ret = parse_common(p, key, arg);
	return ret < 0 ? EINVAL : ret;
}

static size_t count_options(const struct sb_option *options)
{
	size_t n = 0;

	while (options[n].name)
		n++;
	return n;
}

/* Help text with unit, bounds or choices, and defaults: kept in one place with the parsing. */
static char *describe(const struct sb_option *o)
{
	char min[SB_NUM_LEN], max[SB_NUM_LEN], defaults[96], bounds[96] = "";
	char *text = NULL;

	if (o->type == SB_OPT_TEXT && !o->defaults[0])
		return strdup(o->help);
	if (o->type != SB_OPT_CHOICE && o->type != SB_OPT_TEXT)
		snprintf(bounds, sizeof(bounds), "; %s to %s%s%s", sb_num(min, o->min),
			 sb_num(max, o->max), o->unit ? " " : "", o->unit ? o->unit : "");
	if (o->defaults[1])
		snprintf(defaults, sizeof(defaults), "%s, standard %s, full %s", o->defaults[0],
			 o->defaults[1], o->defaults[2]);
	else
		snprintf(defaults, sizeof(defaults), "%s",
			 o->defaults[0] ? o->defaults[0] : "none");
	if (asprintf(&text, "%s%s (default: %s)", o->help, bounds, defaults) < 0)
		return NULL;
	return text;
}

static char *argument_name(const struct sb_option *o)
{
	char text[256] = "";

	if (o->type == SB_OPT_LIST)
		return strdup("N[,N...]");
	if (o->type == SB_OPT_TEXT)
		return strdup("TEXT");
	if (o->type != SB_OPT_CHOICE)
		return strdup("N");
	for (int i = 0; o->choices[i]; i++) {
		size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, "%s%s", i ? "|" : "", o->choices[i]);
	}
	return strdup(text);
}

/* The table argp wants; its texts live as long as the process, which argp needs anyway. */
static struct argp_option *make_table(const struct sb_bench *bench)
{
	size_t own = count_options(bench->options);
	size_t common = sizeof(common_options) / sizeof(common_options[0]);
	struct argp_option *table = calloc(own + common, sizeof(*table));

	if (!table)
		return NULL;
	for (size_t i = 0; i < own; i++) {
		const struct sb_option *o = &bench->options[i];

		table[i] = (struct argp_option){
			.name = o->name,
			.key = KEY_BENCH + (int)i,
			.arg = argument_name(o),
			.doc = describe(o),
			.group = 1,
		};
	}
	memcpy(table + own, common_options, sizeof(common_options));
	return table;
}

static void free_table(struct argp_option *table, size_t own)
{
	for (size_t i = 0; i < own; i++) {
		free((char *)table[i].arg);
		free((char *)table[i].doc);
	}
	free(table);
}

static int apply(struct parse *p)
{
	const struct sb_option *options = p->run->bench->options;

	for (size_t i = 0; options[i].name; i++) {
		const char *text = p->given[i];
		int ret;

		if (!text)
			text = options[i].defaults[p->run->profile];
		if (!text)
			text = options[i].defaults[0];
		/* An option without a default stays 0, which no user can ask for. */
		if (!text)
			continue;
		ret = set_option(p->run, &options[i], text);
		if (ret)
			return ret;
	}
	return 0;
}

static void print_version(FILE *out, struct argp_state *state)
{
	fprintf(out, "%s (stallbench) %s\n", state->name, SB_VERSION);
}

int sb_options_parse(struct sb_run *run, struct sb_common_options *common, int argc,
		     char **argv)
{
	size_t own = count_options(run->bench->options);
	struct parse p = { .run = run, .common = common };
	struct argp argp = { .parser = on_option, .doc = run->bench->summary };
	int ret = -ENOMEM;

	argp_program_version_hook = print_version;
	argp_err_exit_status = SB_EXIT_USAGE;
	*common = (struct sb_common_options){ .kernel = "host", .boot = 1 };
	p.given = calloc(own + 1, sizeof(*p.given));
	argp.options = make_table(run->bench);
	if (p.given && argp.options)
		ret = -argp_parse(&argp, argc, argv, 0, NULL, &p);
	if (ret)
		sb_err(ret, "parsing the command line");
	else
		ret = apply(&p);
	if (argp.options)
		free_table((struct argp_option *)argp.options, own);
	free(p.given);
	return ret ? SB_EXIT_USAGE : 0;
}
