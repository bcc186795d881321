// SPDX-License-Identifier: GPL-2.0-only
/*
 * The supervisor of one guest: runs the QEMU it is given, ends it for a reason that has a name,
 * and leaves files in a folder. scripts/boot-kernel composes QEMU's command line.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../core/msg.h"
#include "../core/num.h"
#include "../core/stop.h"
#include "kimage.h"
#include "report.h"
#include "supervise.h"

#define TAIL_LINES 15
#define FACTS_MAX 64
/* Seconds; a limit beyond a week is a typing error. */
#define LIMIT_MAX (7 * 24 * 3600)

struct options {
	const char *dir, *check, *arch;
	struct report_id id;
	struct guest_limits limits;
	uint64_t owner; /* a process id, or 0 */
	bool ordered;
	struct console_rules rules;
	struct report_fact facts[FACTS_MAX];
	size_t fact_count;
	char **qemu;
};

enum {
	OPT_BOOT_LIMIT = 256,
	OPT_SILENCE,
	OPT_TIMEOUT,
	OPT_PATTERNS,
	OPT_BENIGN,
	OPT_EXPECT,
	OPT_FACT,
	OPT_HASH,
	OPT_NAME,
	OPT_BOOT,
	OPT_CHECK,
	OPT_ARCH,
	OPT_OWNER,
	OPT_ORDERED,
};

static const struct argp_option argp_options[] = {
	{ "out", 'o', "DIR", 0, "Folder for everything the guest leaves (it must exist)", 0 },
	{ "check", OPT_CHECK, "FILE", 0, "Only say whether FILE can be a kernel", 0 },
	{ "arch", OPT_ARCH, "ARCH", 0, "of this architecture (default: any)", 0 },
	{ "boot-limit", OPT_BOOT_LIMIT, "S", 0, "Seconds until the command must have started",
	  0 },
	{ "silence", OPT_SILENCE, "S", 0, "Seconds without a byte from the guest", 0 },
	{ "timeout", OPT_TIMEOUT, "S", 0, "Seconds for all of it (limits: 0 is none)", 0 },
	{ "patterns", OPT_PATTERNS, "FILE", 0, "What is bad on a console", 0 },
	{ "benign", OPT_BENIGN, "FILE", 0, "What only looks bad", 0 },
	{ "expect", OPT_EXPECT, "FILE", 0, "What this kernel announced", 0 },
	{ "fact", OPT_FACT, "KEY=VALUE", 0, "A row for guest-env.csv", 0 },
	{ "hash", OPT_HASH, "KEY=FILE", 0, "The same with the sha256 of a file", 0 },
	{ "name", OPT_NAME, "NAME", 0, "The kernel's name in boot.csv", 0 },
	{ "boot", OPT_BOOT, "N", 0, "The boot's number in boot.csv", 0 },
	{ "ordered", OPT_ORDERED, NULL, 0,
	  "Let QEMU's threads take turns in one order, for virtual time", 0 },
	{ "owner", OPT_OWNER, "PID", 0, "Process that this guest must not outlive", 0 },
	{ 0 },
};

static unsigned int parse_limit(struct argp_state *state, const char *text)
{
	uint64_t value;

	if (sb_parse_u64(text, &value) || value > LIMIT_MAX)
		argp_error(state, "'%s' is no number of seconds up to %u", text, LIMIT_MAX);
	return (unsigned int)value;
}

static int load(struct options *o, const char *path, enum console_kind kind)
{
	return console_rules_load(&o->rules, path, kind);
}

static int add_fact(struct argp_state *state, struct options *o, const char *text, bool hash)
{
	if (o->fact_count == FACTS_MAX)
		argp_error(state, "more than %u facts", FACTS_MAX);
	o->facts[o->fact_count++] = (struct report_fact){ .text = text, .hash = hash };
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->dir = arg;
		return 0;
	case OPT_CHECK:
		o->check = arg;
		return 0;
	case OPT_ARCH:
		o->arch = arg;
		return 0;
	case OPT_BOOT_LIMIT:
		o->limits.boot = parse_limit(state, arg);
		return 0;
	case OPT_SILENCE:
		o->limits.silence = parse_limit(state, arg);
		return 0;
	case OPT_TIMEOUT:
		o->limits.total = parse_limit(state, arg);
		return 0;
	case OPT_PATTERNS:
		return -load(o, arg, CONSOLE_KINDS);
	case OPT_BENIGN:
		return -load(o, arg, CONSOLE_BENIGN);
	case OPT_EXPECT:
		return -load(o, arg, CONSOLE_EXPECTED);
	case OPT_FACT:
	case OPT_HASH:
		return add_fact(state, o, arg, key == OPT_HASH);
	case OPT_NAME:
		o->id.kernel = arg;
		return 0;
	case OPT_BOOT:
		if (sb_parse_u64(arg, &o->id.boot))
			argp_error(state, "'%s' is no boot number", arg);
		return 0;
	case OPT_OWNER:
		if (sb_parse_u64(arg, &o->owner) || o->owner == 0 || o->owner > INT_MAX)
			argp_error(state, "'%s' is no process id", arg);
		return 0;
	case OPT_ORDERED:
		o->ordered = true;
		return 0;
	case ARGP_KEY_ARGS:
		o->qemu = state->argv + state->next;
		return 0;
	case ARGP_KEY_END:
		if (!o->check && (!o->dir || !o->qemu))
			argp_error(state, "wanted are --out and QEMU's command line");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int exit_status(enum guest_status status)
{
	switch (status) {
	case GUEST_PASS:
		return SB_EXIT_OK;
	case GUEST_SKIP:
		return SB_EXIT_SKIPPED;
	case GUEST_INTERRUPTED:
		return SB_EXIT_SIGNAL + SIGINT;
	case GUEST_NO_QEMU:
		return SB_EXIT_USAGE;
	default:
		return SB_EXIT_FAILED;
	}
}

static void explain(const struct options *o, const struct guest *g)
{
	if (g->status == GUEST_PASS)
		return;
	sb_msg("%s: %s", guest_status_word(g->status), g->why);
	if (g->status == GUEST_NO_QEMU)
		report_tail(o->dir, "qemu.log", TAIL_LINES);
	else if (g->status != GUEST_FAIL && g->status != GUEST_SKIP)
		report_tail(o->dir, "console.log", TAIL_LINES);
}

static int write_reports(const struct options *o, const struct guest *g)
{
	int err = report_boot(o->dir, &o->id, g);

	if (!err)
		err = report_timing(o->dir, g);
	return err ? err : report_verdict(o->dir, g);
}

/* Keeps what helps to understand a failure, and only then. */
static void tidy(const struct guest *g)
{
	struct stat st;

	if (chan_in_ended(&g->in))
		unlinkat(g->dir, "channel.raw", 0);
	if (fstatat(g->dir, "qemu.log", &st, 0) == 0 && st.st_size == 0)
		unlinkat(g->dir, "qemu.log", 0);
}

static int supervise(const struct options *o, struct guest *g)
{
	char path[PATH_MAX];
	int err, closed;

	if ((size_t)snprintf(path, sizeof(path), "%s/console.csv", o->dir) >= sizeof(path))
		return sb_err(ENAMETOOLONG, "%s", o->dir);
	err = sb_csv_open(&g->findings, path);
	if (err)
		return err;
	sb_csv_header(&g->findings, "kind,pattern,line_number,text");
	err = guest_run(g, &o->rules);
	closed = sb_csv_close(&g->findings);
	err = err ? err : closed;
	if (!err)
		err = write_reports(o, g);
	if (err)
		return err;
	tidy(g);
	return report_status(o->dir, g->status);
}

static int run(struct options *o)
{
	struct guest g = { .argv = o->qemu, .limits = o->limits, .owner = -1 };
	int err;

	if (o->check)
		return kimage_check_file(o->arch, o->check) ? SB_EXIT_USAGE : SB_EXIT_OK;
	if (o->owner && (g.owner = pidfd_open((pid_t)o->owner, 0)) < 0) {
		sb_err(errno, "owner %" PRIu64, o->owner);
		return SB_EXIT_USAGE;
	}
	ordered_prepare(&g.ordered, o->ordered);
	g.dir = open(o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = g.dir < 0 ? sb_err(errno, "%s", o->dir) : 0;
	if (!err)
		err = report_status(o->dir, GUEST_INCOMPLETE);
	if (!err)
		err = report_facts(o->dir, o->facts, o->fact_count);
	if (!err)
		err = supervise(o, &g);
	if (g.dir >= 0)
		close(g.dir);
	if (g.owner >= 0)
		close(g.owner);
	if (err)
		return SB_EXIT_USAGE;
	explain(o, &g);
	return exit_status(g.status);
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "QEMU ARGUMENT...",
		.doc = "Runs one guest and says how it ended. Exit status: 0 pass, 1 fail, "
		       "timeout, panic, splat or incomplete (see DIR/status), 2 usage or "
		       "environment, 77 skip, 130 interrupted.",
	};
	struct options o = { .arch = "", .id = { .kernel = "guest", .boot = 1 } };
	int status;

	argp_err_exit_status = SB_EXIT_USAGE;
	status = argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &o);
	if (status) {
		sb_err(status, "parsing the command line");
		return SB_EXIT_USAGE;
	}
	if (sb_stop_install())
		return SB_EXIT_USAGE;
	/* If the script above us is killed, this guest is over, too. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	status = run(&o);
	console_rules_free(&o.rules);
	return status;
}
