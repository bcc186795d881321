// SPDX-License-Identifier: GPL-2.0-only
/* keygcbench: how long the kernel's key garbage collector keeps a worker, and who feels it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../core/num.h"
#include "keygcbench.h"

#define OFFSET(field) offsetof(struct keygc_params, field)

static const char *const yes_no[] = { "yes", "no", NULL };

static const struct sb_option options[] = {
	{ "keys",
	  SB_OPT_LIST,
	  OFFSET(keys),
	  "keys",
	  1,
	  KEYS_MOST,
	  NULL,
	  { "50000", "200000", "1000000" },
	  "Keys to collect; several for a scaling run" },
	{ "keyrings",
	  SB_OPT_U64,
	  OFFSET(keyrings),
	  "keyrings",
	  1,
	  1000000,
	  NULL,
	  { "1" },
	  "Keyrings to spread the links over; 1 is the hard case" },
	{ "payload",
	  SB_OPT_U64,
	  OFFSET(payload),
	  "bytes",
	  1,
	  32767,
	  NULL,
	  { "8" },
	  "Payload of a key" },
	{ "release",
	  SB_OPT_CHOICE,
	  OFFSET(release),
	  NULL,
	  0,
	  0,
	  keys_release_names,
	  { "ring" },
	  "How phase unused lets keys go: drop their keyrings, clear them, or key by key" },
	{ "expiry",
	  SB_OPT_U64,
	  OFFSET(expiry),
	  "s",
	  0,
	  3600,
	  NULL,
	  { "0" },
	  "Lifetime of keys in phase expired; 0 = as short as setting them allows" },
	{ "probe-interval",
	  SB_OPT_DOUBLE,
	  OFFSET(probe_interval),
	  "us",
	  1,
	  1e7,
	  NULL,
	  { "1000" },
	  "Pause between two probes" },
	{ "timeout",
	  SB_OPT_DOUBLE,
	  OFFSET(timeout),
	  "s",
	  0.1,
	  86400,
	  NULL,
	  { "120" },
	  "How long to wait for keys to go" },
	{ "trace",
	  SB_OPT_CHOICE,
	  OFFSET(trace),
	  NULL,
	  0,
	  0,
	  yes_no,
	  { "yes" },
	  "Record the collector's executions; without, all_cpu lacks the cost of that" },
	{ "rounds",
	  SB_OPT_U64,
	  OFFSET(rounds),
	  NULL,
	  1,
	  90,
	  NULL,
	  { "8" },
	  "Rounds of phase expiry_lost, each with the timer 10 ms earlier in its second" },
	{ 0 },
};

static const struct sb_phase phases[] = {
	{ "unused", "keys whose last reference goes away", phase_unused },
	{ "expired", "keys that time out while linked", phase_expired },
	{ "expiry_lost", "keys that time out as a pass of the collector ends",
	  phase_expiry_lost },
	{ 0 },
};

static const char *const on_demand[] = { "expiry_lost", NULL };

static const struct sb_pool pools[] = {
	{ "combined", "both phases' samples together (not run)",
	  (const char *const[]){ "unused", "expired", NULL } },
	{ 0 },
};

static const struct sb_metric metrics[] = {
	{ .name = "gc_work",
	  .unit = "us",
	  .better = "lower",
	  .primary = "max total",
	  .plot = "distribution timeline bars",
	  .wobble = 4,
	  .help = "one execution of key_garbage_collector" },
	{ .name = "gc_work_cpu",
	  .unit = "us",
	  .better = "lower",
	  .help = "CPU time of one execution: others that ran meanwhile taken out" },
	{ .name = "gc_cpu",
	  .unit = "ns",
	  .better = "lower",
	  .primary = "avg",
	  .wobble = 0.7,
	  .help = "CPU time of the collector per key" },
	{ .name = "all_cpu",
	  .unit = "ns",
	  .better = "lower",
	  .help = "CPU time of all that ran until the last key was gone, per key" },
	{ .name = "gc_passes",
	  .unit = "count",
	  .better = "none",
	  .help = "executions until everything was collected" },
	{ .name = "gc_queue",
	  .unit = "us",
	  .better = "lower",
	  .help = "from the collector's queueing to its start" },
	{ .name = "drain",
	  .unit = "us",
	  .better = "lower",
	  .help = "from the collector's first queueing until the last key was gone" },
	{ .name = "bystander",
	  .unit = "us",
	  .better = "lower",
	  .primary = "max",
	  .plot = "latency",
	  .wobble = 35,
	  .help = "another work item's round trip, collector running" },
	{ .name = "left_behind",
	  .unit = "count",
	  .better = "lower",
	  .help = "keys still there 3 s after they expired" },
	{ .name = "add_key",
	  .unit = "us",
	  .better = "lower",
	  .plot = "latency",
	  .help = "add_key(2), collector running" },
	{ .name = "unlink",
	  .unit = "us",
	  .better = "lower",
	  .plot = "latency",
	  .help = "keyctl_unlink(3), collector running" },
	{ 0 },
};

static int need_keys(char *why, size_t why_len)
{
	if (keyctl_get_keyring_ID(KEY_SPEC_PROCESS_KEYRING, 0) < 0 && errno != ENOKEY) {
		snprintf(why, why_len, "keyctl: %s (%s)", strerror(errno),
			 errno == ENOSYS ? "a kernel without CONFIG_KEYS?"
					 : "a seccomp filter?");
		return -errno;
	}
	if (access("/proc/key-users", R_OK)) {
		snprintf(why, why_len, "/proc/key-users: %s", strerror(errno));
		return -errno;
	}
	return 0;
}

static const struct sb_need needs[] = { { need_keys }, { 0 } };

static const char *const sysctls[] = { "kernel/keys/gc_delay",	    "kernel/keys/maxkeys",
				       "kernel/keys/maxbytes",	    "kernel/keys/root_maxkeys",
				       "kernel/keys/root_maxbytes", NULL };

static const char *const facts[] = { "kernel/keys/gc_delay",	  "kernel/keys/maxkeys",
				     "kernel/keys/maxbytes",	  "kernel/keys/root_maxkeys",
				     "kernel/keys/root_maxbytes", NULL };

static uint64_t most_keys(const struct sb_list *keys)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < keys->count; i++)
		if (keys->value[i] > most)
			most = keys->value[i];
	return most;
}

/*
 * A machine may have no tracing, and then says so by other errors; with these it ran out of
 * something or broke, and figures would be missing by accident.
 */
static bool is_failure(int err)
{
	return err == -EIO || err == -ENOSPC || err == -ENOMEM || err == -EDQUOT ||
	       err == -EMFILE || err == -ENFILE;
}

static int open_trace(struct keygc_state *state)
{
	char why[256];
	int ret = sb_wqtrace_open(&state->trace, "key_garbage_collector", why, sizeof(why));

	if (ret && is_failure(ret))
		sb_msg("recording the collector's executions: %s", why);
	else if (ret)
		sb_msg("gc_work, gc_cpu, gc_passes, gc_queue left out: %s", why);
	return is_failure(ret) ? ret : 0;
}

static int prepare(struct sb_run *run)
{
	static struct keygc_state state; /* one run per process, and big */
	int ret;

	state = (struct keygc_state){ .random = run->seed };
	run->state = &state;
	ret = keygc_params(run)->trace ? 0 : open_trace(&state);
	if (ret)
		return ret;
	if (access("/proc/sys/vm/stat_refresh", R_OK))
		sb_msg("bystander left out: /proc/sys/vm/stat_refresh: %s", strerror(errno));
	state.owner = owner_take();
	/* Now, so that it does not count as one of the run's keys later. */
	if (keyctl_get_keyring_ID(KEY_SPEC_PROCESS_KEYRING, 1) < 0)
		return sb_err(errno, "making the process keyring");
	/* The largest round first: to refuse after an hour would be late. */
	return room_make(run, most_keys(&keygc_params(run)->keys));
}

static int finish(struct sb_run *run)
{
	owner_suspend();
	if (run->state)
		sb_wqtrace_close(keygc_state(run)->trace);
	return 0;
}

static const struct sb_bench keygcbench = {
	.name = "keygcbench",
	.summary =
		"Measures the kernel's key garbage collector: one execution's time, and what "
		"others feel of it",
	.options = options,
	.phases = phases,
	.on_demand = on_demand,
	.pools = pools,
	.metrics = metrics,
	.needs = needs,
	.sysctls = sysctls,
	.facts = facts,
	.scale = "keys",
	.params_size = sizeof(struct keygc_params),
	.prepare = prepare,
	.finish = finish,
};

int main(int argc, char **argv)
{
	return sb_bench_main(&keygcbench, argc, argv);
}
