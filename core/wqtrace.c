// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracefs.h>

#include "msg.h"
#include "wqtrace.h"

#define INSTANCE_PREFIX "stallbench-"
/* Room for a burst on one CPU; the sum over all CPUs is bounded too. */
#define BUFFER_KB_PER_CPU 4096
#define BUFFER_KB_TOTAL 65536
#define BUFFER_KB_LEAST 512

/* What is recorded: the work itself, and whatever takes CPU time away from its worker. */
static const struct wanted {
	const char *system, *name;
	enum sb_wq_kind kind;
	bool required;
} wanted[] = {
	{ "workqueue", "workqueue_queue_work", SB_WQ_QUEUE, true },
	{ "workqueue", "workqueue_execute_start", SB_WQ_START, true },
	{ "workqueue", "workqueue_execute_end", SB_WQ_END, true },
	{ "sched", "sched_switch", SB_WQ_OUT, true },
	{ "irq", "irq_handler_entry", SB_WQ_IRQ, false },
	{ "irq", "irq_handler_exit", SB_WQ_IRQ_END, false },
	{ "irq", "softirq_entry", SB_WQ_IRQ, false },
	{ "irq", "softirq_exit", SB_WQ_IRQ_END, false },
	/* x86 delivers these past the generic interrupt code. */
	{ "irq_vectors", "local_timer_entry", SB_WQ_IRQ, false },
	{ "irq_vectors", "local_timer_exit", SB_WQ_IRQ_END, false },
	{ "irq_vectors", "reschedule_entry", SB_WQ_IRQ, false },
	{ "irq_vectors", "reschedule_exit", SB_WQ_IRQ_END, false },
	{ "irq_vectors", "call_function_entry", SB_WQ_IRQ, false },
	{ "irq_vectors", "call_function_exit", SB_WQ_IRQ_END, false },
	{ "irq_vectors", "call_function_single_entry", SB_WQ_IRQ, false },
	{ "irq_vectors", "call_function_single_exit", SB_WQ_IRQ_END, false },
	{ "irq_vectors", "irq_work_entry", SB_WQ_IRQ, false },
	{ "irq_vectors", "irq_work_exit", SB_WQ_IRQ_END, false },
};

#define WANTED (sizeof(wanted) / sizeof(wanted[0]))

struct sb_wqtrace {
	struct tep_handle *tep;
	struct tracefs_instance *instance;
	struct tep_event *event[WANTED]; /* NULL = this kernel has none */
	struct tep_format_field *prev_pid, *next_pid;
	struct tep_format_field *start_work, *end_work; /* to pair ends that name no function */
	bool end_has_function;
	unsigned long long work;
	struct sb_wq_event *events;
	size_t count, room;
	uint64_t queued, started, ended;
	uint64_t lost_before; /* drops counted by the kernel before the start */
	int error;
};

static int __attribute__((format(printf, 4, 5)))
refuse(char *why, size_t why_len, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, why_len, fmt, ap);
	va_end(ap);
	return err < 0 ? err : -err;
}

/* A killed run leaves its instance behind: nobody else would ever remove it. */
static int remove_if_stale(const char *name, void *data)
{
	struct tracefs_instance *stale;
	pid_t pid;

	(void)data;
	if (strncmp(name, INSTANCE_PREFIX, strlen(INSTANCE_PREFIX)))
		return 0;
	pid = (pid_t)strtol(name + strlen(INSTANCE_PREFIX), NULL, 10);
	if (pid <= 0 || !kill(pid, 0) || errno != ESRCH)
		return 0;
	stale = tracefs_instance_create(name);
	if (stale) {
		tracefs_instance_destroy(stale);
		tracefs_instance_free(stale);
	}
	return 0;
}

static int parse_formats(struct sb_wqtrace *t)
{
	const char *systems[WANTED + 1] = { NULL };
	const char *last = "";
	size_t n = 0;

	/* Events of one system stand together in the table. */
	for (size_t i = 0; i < WANTED; i++) {
		char dir[64];

		if (!strcmp(last, wanted[i].system))
			continue;
		last = wanted[i].system;
		snprintf(dir, sizeof(dir), "events/%s", last);
		if (tracefs_dir_exists(NULL, dir))
			systems[n++] = last;
	}
	t->tep = n ? tracefs_local_events_system(NULL, systems) : NULL;
	return t->tep ? 0 : -ENOENT;
}

static int find_events(struct sb_wqtrace *t, char *why, size_t why_len)
{
	struct tep_event *start, *end, *sched;

	for (size_t i = 0; i < WANTED; i++) {
		t->event[i] = tep_find_event_by_name(t->tep, wanted[i].system, wanted[i].name);
		if (!t->event[i] && wanted[i].required)
			return refuse(why, why_len, ENOENT, "this kernel has no event %s:%s",
				      wanted[i].system, wanted[i].name);
	}
	start = t->event[1];
	end = t->event[2];
	sched = t->event[3];
	t->start_work = tep_find_field(start, "work");
	t->end_work = tep_find_field(end, "work");
	/* Before 5.6 the end of an execution carries the work item alone. */
	t->end_has_function = tep_find_field(end, "function");
	t->prev_pid = tep_find_field(sched, "prev_pid");
	t->next_pid = tep_find_field(sched, "next_pid");
	if (!t->start_work || !t->end_work || !t->prev_pid || !t->next_pid)
		return refuse(why, why_len, ENOENT, "this kernel's trace events lack a field");
	return 0;
}

static int set_filter(struct sb_wqtrace *t, const struct wanted *w, const char *filter)
{
	int ret = tracefs_event_file_write(t->instance, w->system, w->name, "filter", filter);

	return ret < 0 ? -errno : 0;
}

/* The address of a kernel function, or 0 when the kernel does not tell. */
static unsigned long long symbol_address(const char *function)
{
	unsigned long long address, found = 0;
	char line[256], name[128];
	FILE *f = fopen("/proc/kallsyms", "re");

	if (!f)
		return 0;
	while (!found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %127s", &address, name) == 2 &&
		    !strcmp(name, function))
			found = address;
	fclose(f);
	return found;
}

/*
 * Events of all other work would push ours out of the buffer, so the kernel filters. Since
 * 6.2 it knows functions by name; before, their address has to be looked up.
 */
static int filter_function(struct sb_wqtrace *t, const struct wanted *w, const char *function)
{
	unsigned long long address;
	char filter[160];

	snprintf(filter, sizeof(filter), "function.function == %s", function);
	if (!set_filter(t, w, filter))
		return 0;
	address = symbol_address(function);
	if (!address)
		return -ENOENT;
	snprintf(filter, sizeof(filter), "function == 0x%llx", address);
	return set_filter(t, w, filter);
}

static int filter_event(struct sb_wqtrace *t, const struct wanted *w, const char *function)
{
	if (w->kind == SB_WQ_END && !t->end_has_function)
		return 0; /* paired by work item when read */
	if (w->kind == SB_WQ_QUEUE || w->kind == SB_WQ_START || w->kind == SB_WQ_END)
		return filter_function(t, w, function);
	if (w->kind == SB_WQ_OUT)
		return set_filter(t, w,
				  "prev_comm ~ \"kworker/*\" || next_comm ~ \"kworker/*\"");
	return set_filter(t, w, "comm ~ \"kworker/*\"");
}

static int enable_events(struct sb_wqtrace *t, const char *function, char *why, size_t why_len)
{
	for (size_t i = 0; i < WANTED; i++) {
		const struct wanted *w = &wanted[i];
		int ret;

		if (!t->event[i])
			continue;
		ret = filter_event(t, w, function);
		if (ret)
			return refuse(why, why_len, ret, "cannot filter %s:%s on %s: %s",
				      w->system, w->name, function, strerror(-ret));
		if (tracefs_event_enable(t->instance, w->system, w->name) < 0)
			return refuse(why, why_len, errno ? errno : EIO, "cannot enable %s:%s",
				      w->system, w->name);
	}
	return 0;
}

static int setup_instance(struct sb_wqtrace *t, const char *function, char *why, size_t why_len)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	long kb = BUFFER_KB_TOTAL / (cpus > 0 ? cpus : 1);
	char text[32];

	tracefs_instances_walk(remove_if_stale, NULL);
	snprintf(text, sizeof(text), INSTANCE_PREFIX "%d", getpid());
	t->instance = tracefs_instance_create(text);
	if (!t->instance)
		return refuse(why, why_len, errno, "cannot make a trace instance: %s",
			      strerror(errno));
	tracefs_trace_off(t->instance);
	if (kb > BUFFER_KB_PER_CPU)
		kb = BUFFER_KB_PER_CPU;
	if (kb < BUFFER_KB_LEAST)
		kb = BUFFER_KB_LEAST;
	snprintf(text, sizeof(text), "%ld", kb);
	if (tracefs_instance_file_write(t->instance, "buffer_size_kb", text) < 0 ||
	    tracefs_instance_file_write(t->instance, "trace_clock", "mono_raw") < 0)
		return refuse(why, why_len, errno, "cannot set up the trace instance: %s",
			      strerror(errno));
	return enable_events(t, function, why, why_len);
}

int sb_wqtrace_open(struct sb_wqtrace **trace, const char *function, char *why, size_t why_len)
{
	struct sb_wqtrace *t;
	int ret;

	*trace = NULL;
	if (geteuid())
		return refuse(why, why_len, EPERM, "tracing needs root");
	if (tracefs_tracing_dir_is_mounted(true, NULL) < 0 || !tracefs_tracing_dir())
		return refuse(why, why_len, ENOENT, "no tracefs here");
	t = calloc(1, sizeof(*t));
	if (!t)
		return refuse(why, why_len, ENOMEM, "out of memory");
	ret = parse_formats(t);
	if (ret)
		refuse(why, why_len, ret, "cannot read the formats of the trace events");
	else
		ret = find_events(t, why, why_len);
	if (!ret)
		ret = setup_instance(t, function, why, why_len);
	if (ret)
		sb_wqtrace_close(t);
	else
		*trace = t;
	return ret;
}

static int append(struct sb_wqtrace *t, uint64_t ts, int pid, enum sb_wq_kind kind)
{
	if (t->count == t->room) {
		size_t room = t->room ? 2 * t->room : 4096;
		struct sb_wq_event *grown = realloc(t->events, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		t->events = grown;
		t->room = room;
	}
	t->events[t->count] = (struct sb_wq_event){ ts, t->count, pid, kind };
	t->count++;
	return 0;
}

static int read_switch(struct sb_wqtrace *t, struct tep_record *record)
{
	unsigned long long prev = 0, next = 0;
	int ret;

	tep_read_number_field(t->prev_pid, record->data, &prev);
	tep_read_number_field(t->next_pid, record->data, &next);
	ret = append(t, record->ts, (int)prev, SB_WQ_OUT);
	return ret ? ret : append(t, record->ts, (int)next, SB_WQ_IN);
}

static int read_event(struct sb_wqtrace *t, size_t i, struct tep_record *record)
{
	enum sb_wq_kind kind = wanted[i].kind;
	unsigned long long work = 0;

	switch (kind) {
	case SB_WQ_OUT:
		return read_switch(t, record);
	case SB_WQ_QUEUE:
		t->queued++;
		break;
	case SB_WQ_START:
		tep_read_number_field(t->start_work, record->data, &t->work);
		t->started++;
		break;
	case SB_WQ_END:
		tep_read_number_field(t->end_work, record->data, &work);
		if (!t->end_has_function && work != t->work)
			return 0;
		t->ended++;
		break;
	default:
		break;
	}
	return append(t, record->ts, tep_data_pid(t->tep, record), kind);
}

static int on_event(struct tep_event *event, struct tep_record *record, int cpu, void *data)
{
	struct sb_wqtrace *t = data;

	(void)cpu;
	for (size_t i = 0; i < WANTED; i++) {
		if (t->event[i] != event)
			continue;
		t->error = read_event(t, i, record);
		return t->error;
	}
	return 0;
}

int sb_wqtrace_poll(struct sb_wqtrace *t)
{
	t->error = 0;
	errno = 0;
	if (tracefs_iterate_raw_events(t->tep, t->instance, NULL, 0, on_event, t) < 0 &&
	    errno != EINTR)
		return sb_err(errno ? errno : EIO, "reading trace events");
	return t->error ? sb_err(t->error, "keeping trace events") : 0;
}

bool sb_wqtrace_idle(const struct sb_wqtrace *t)
{
	/* A queueing from before the start may be missing, hence no equality. */
	return t->started == t->ended && t->queued <= t->started;
}

/* Sum over all CPUs of what the ring buffer dropped, since the instance was made. */
static uint64_t count_lost(struct sb_wqtrace *t)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t lost = 0;

	for (long cpu = 0; cpu < cpus; cpu++) {
		static const char *const counters[] = { "\noverrun: ", "\ndropped events: " };
		char file[64], *text, *at;

		snprintf(file, sizeof(file), "per_cpu/cpu%ld/stats", cpu);
		text = tracefs_instance_file_read(t->instance, file, NULL);
		for (size_t i = 0; text && i < 2; i++) {
			at = strstr(text, counters[i]);
			if (at)
				lost += strtoull(at + strlen(counters[i]), NULL, 10);
		}
		free(text);
	}
	return lost;
}

int sb_wqtrace_start(struct sb_wqtrace *t)
{
	int ret = sb_wqtrace_poll(t); /* leftovers of an earlier recording */

	if (ret)
		return ret;
	t->count = 0;
	t->queued = 0;
	t->started = 0;
	t->ended = 0;
	t->lost_before = count_lost(t);
	if (tracefs_trace_on(t->instance))
		return sb_err(errno, "switching tracing on");
	return 0;
}

int sb_wqtrace_stop(struct sb_wqtrace *t, struct sb_wq_exec **execs, size_t *count,
		    uint64_t *lost)
{
	int ret;

	*execs = NULL;
	*count = 0;
	*lost = 0;
	if (tracefs_trace_off(t->instance))
		return sb_err(errno, "switching tracing off");
	ret = sb_wqtrace_poll(t);
	if (ret)
		return ret;
	*lost = count_lost(t) - t->lost_before;
	ret = sb_wq_executions(t->events, t->count, execs, count);
	return ret ? sb_err(ret, "sorting trace events") : 0;
}

void sb_wqtrace_close(struct sb_wqtrace *t)
{
	if (!t)
		return;
	if (t->instance) {
		tracefs_trace_off(t->instance);
		tracefs_instance_destroy(t->instance);
		tracefs_instance_free(t->instance);
	}
	tep_free(t->tep);
	free(t->events);
	free(t);
}
