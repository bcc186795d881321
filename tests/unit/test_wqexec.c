// SPDX-License-Identifier: GPL-2.0-only
/* From trace events to executions and their CPU time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../core/wqexec.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct sb_wq_exec *of(struct sb_wq_event *events, size_t n, size_t *count)
{
	struct sb_wq_exec *execs;

	for (size_t i = 0; i < n; i++)
		events[i].seq = i;
	assert_int_equal(sb_wq_executions(events, n, &execs, count), 0);
	return execs;
}

static void queueing_start_and_end_are_paired(void **state)
{
	struct sb_wq_event events[] = {
		{ 100, 0, 7, SB_WQ_QUEUE }, { 150, 0, 9, SB_WQ_START },
		{ 180, 0, 9, SB_WQ_QUEUE }, { 250, 0, 9, SB_WQ_END },
		{ 251, 0, 9, SB_WQ_START }, { 300, 0, 9, SB_WQ_END },
	};
	size_t n;
	struct sb_wq_exec *e = of(events, COUNT(events), &n);

	(void)state;
	assert_int_equal(n, 2);
	assert_int_equal(e[0].queued, 100);
	assert_int_equal(e[0].start, 150);
	assert_int_equal(e[0].end, 250);
	assert_int_equal(e[0].cpu, 100);
	assert_int_equal(e[1].queued, 180);
	assert_int_equal(e[1].cpu, 49);
	free(e);
}

static void buffers_of_several_cpus_arrive_out_of_order(void **state)
{
	struct sb_wq_event events[] = {
		{ 250, 0, 9, SB_WQ_END },
		{ 150, 0, 9, SB_WQ_START },
		{ 100, 0, 7, SB_WQ_QUEUE },
	};
	size_t n;
	struct sb_wq_exec *e = of(events, COUNT(events), &n);

	(void)state;
	assert_int_equal(n, 1);
	assert_int_equal(e[0].queued, 100);
	assert_int_equal(e[0].end - e[0].start, 100);
	free(e);
}

static void time_off_the_cpu_is_not_counted(void **state)
{
	struct sb_wq_event events[] = {
		{ 0, 0, 9, SB_WQ_START }, { 10, 0, 9, SB_WQ_OUT }, { 10, 0, 5, SB_WQ_IN },
		{ 60, 0, 5, SB_WQ_OUT },  { 60, 0, 9, SB_WQ_IN },  { 100, 0, 9, SB_WQ_END },
	};
	size_t n;
	struct sb_wq_exec *e = of(events, COUNT(events), &n);

	(void)state;
	assert_int_equal(n, 1);
	assert_int_equal(e[0].end - e[0].start, 100);
	assert_int_equal(e[0].cpu, 50);
	free(e);
}

static void nested_interrupts_are_taken_out_once(void **state)
{
	struct sb_wq_event events[] = {
		{ 0, 0, 9, SB_WQ_START },    { 20, 0, 9, SB_WQ_IRQ },
		{ 25, 0, 9, SB_WQ_IRQ },     { 30, 0, 9, SB_WQ_IRQ_END },
		{ 40, 0, 9, SB_WQ_IRQ_END }, { 50, 0, 5, SB_WQ_IRQ },
		{ 55, 0, 5, SB_WQ_IRQ_END }, { 100, 0, 9, SB_WQ_END },
	};
	size_t n;
	struct sb_wq_exec *e = of(events, COUNT(events), &n);

	(void)state;
	assert_int_equal(n, 1);
	/* 20 to 40 is gone; the interrupt on top of another task is not this one's. */
	assert_int_equal(e[0].cpu, 80);
	free(e);
}

static void preempted_by_an_interrupt_that_reschedules(void **state)
{
	struct sb_wq_event events[] = {
		{ 0, 0, 9, SB_WQ_START }, { 10, 0, 9, SB_WQ_IRQ }, { 14, 0, 9, SB_WQ_IRQ_END },
		{ 15, 0, 9, SB_WQ_OUT },  { 40, 0, 9, SB_WQ_IN },  { 45, 0, 9, SB_WQ_END },
	};
	size_t n;
	struct sb_wq_exec *e = of(events, COUNT(events), &n);

	(void)state;
	assert_int_equal(e[0].cpu, 10 + 1 + 5);
	free(e);
}

static void cut_off_executions_are_left_out(void **state)
{
	struct sb_wq_event events[] = {
		{ 10, 0, 9, SB_WQ_END },
		{ 20, 0, 9, SB_WQ_START },
	};
	size_t n;
	struct sb_wq_exec *e = of(events, COUNT(events), &n);

	(void)state;
	assert_int_equal(n, 0);
	free(e);
	e = of(events, 0, &n);
	assert_int_equal(n, 0);
	free(e);
}

static void equal_times_keep_their_order(void **state)
{
	struct sb_wq_event events[] = {
		{ 10, 0, 9, SB_WQ_START },
		{ 10, 0, 9, SB_WQ_END },
		{ 10, 0, 9, SB_WQ_START },
		{ 12, 0, 9, SB_WQ_END },
	};
	size_t n;
	struct sb_wq_exec *e = of(events, COUNT(events), &n);

	(void)state;
	assert_int_equal(n, 2);
	assert_int_equal(e[0].cpu, 0);
	assert_int_equal(e[1].cpu, 2);
	free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queueing_start_and_end_are_paired),
		cmocka_unit_test(buffers_of_several_cpus_arrive_out_of_order),
		cmocka_unit_test(time_off_the_cpu_is_not_counted),
		cmocka_unit_test(nested_interrupts_are_taken_out_once),
		cmocka_unit_test(preempted_by_an_interrupt_that_reschedules),
		cmocka_unit_test(cut_off_executions_are_left_out),
		cmocka_unit_test(equal_times_keep_their_order),
	};

	return cmocka_run_group_tests_name("wqexec", tests, NULL, NULL);
}
