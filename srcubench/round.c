// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "../core/clock.h"
#include "../core/stop.h"
#include "round.h"

/* Machines made one after the other, for more than one sample; the last is the one used. */
#define MACHINES 5

/* A call that the user's Ctrl-C cut short has not failed. */
static int failed(struct sb_run *run, const char *metric, int ret)
{
	struct sb_series *s = sb_stopped() ? NULL : sb_series(run, metric);

	if (s)
		s->errors++;
	return ret;
}

/* From KVM_CREATE_VCPU until the guest has left for the first time. */
static int first_vcpu(struct srcu_round *r)
{
	uint64_t start = sb_now_ns();
	int ret = srcu_vcpu_open(&r->vcpu, &r->vm, 0);

	if (ret == -EOPNOTSUPP)
		return 0;
	if (!ret)
		ret = srcu_vcpu_exit(&r->vcpu);
	/* Readers are interrupted to end; this one is not. */
	if (ret == -EINTR && !sb_stopped())
		sb_err(ret, "KVM_RUN, the first of a vCPU");
	if (ret)
		return failed(r->run, "first_vcpu", ret);
	return sb_sample(r->run, "first_vcpu", sb_us(sb_now_ns() - start));
}

static void drop_machine(struct srcu_round *r)
{
	srcu_vcpu_close(&r->vcpu);
	srcu_vm_close(&r->vm);
}

static int make_machine(struct srcu_round *r)
{
	uint64_t length;
	int ret = srcu_vm_open(&r->vm, &length);

	if (ret)
		return failed(r->run, "create_vm", ret);
	ret = sb_sample(r->run, "create_vm", sb_us(length));
	return ret ? ret : first_vcpu(r);
}

static int make_machines(struct srcu_round *r)
{
	int ret = make_machine(r);

	for (int i = 1; i < MACHINES && !ret; i++) {
		if (sb_stopped())
			return -EINTR;
		drop_machine(r);
		ret = make_machine(r);
	}
	return ret;
}

static const char *metric_of(enum slot_change change)
{
	switch (change) {
	case SLOT_CREATE:
		return "slot_create";
	case SLOT_DELETE:
		return "slot_delete";
	case SLOT_MOVE:
		return "slot_move";
	default:
		return "slot_flags";
	}
}

int srcu_change(struct srcu_round *r, uint64_t index, const struct slot *to)
{
	struct slot_timing t;
	struct sb_series *s;
	int ret = slot_set(&r->slots, index, to, &t);

	if (!r->timed)
		return ret;
	s = sb_series(r->run, metric_of(t.change));
	if (!s)
		return -ENOMEM;
	if (ret) {
		s->errors++;
		return ret;
	}
	return sb_series_add_at(s, sb_us(t.start - r->origin), sb_us(t.length));
}

int srcu_create(struct srcu_round *r, uint64_t count)
{
	int ret = 0;

	for (uint64_t i = 0; i < count && !ret; i++) {
		struct slot slot = slot_present(&r->slots, i, 0, 0);

		if (sb_stopped())
			return -EINTR;
		ret = srcu_change(r, i, &slot);
	}
	return ret;
}

int srcu_delete(struct srcu_round *r, uint64_t index)
{
	return srcu_change(r, index, &(struct slot){ 0 });
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * SB_NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* Both are in ns, over all operations. */
static int add_totals(struct srcu_round *r, uint64_t wall, uint64_t cpu)
{
	/* By slot_grace_periods(): nobody counted them. */
	double grace_periods = (double)r->slots.grace_periods;
	int ret = sb_sample(r->run, "total", sb_us(wall));

	if (!ret)
		ret = sb_sample(r->run, "grace_period", sb_us(wall) / grace_periods);
	return ret ? ret : sb_sample(r->run, "caller_cpu", sb_us(cpu) / grace_periods);
}

static int operate(struct srcu_round *r, const struct srcu_plan *plan)
{
	struct sb_run *run = r->run;
	uint64_t cpu;
	int ret = 0;

	sb_progress_step(&run->progress, "changing slots", run->scale);
	r->timed = true;
	r->slots.grace_periods = 0;
	srcu_readers_mark(r->readers);
	cpu = cpu_ns();
	r->origin = sb_now_ns();
	for (uint64_t i = 0; i < run->scale && !ret; i++) {
		ret = sb_stopped() ? -EINTR : plan->operate(r, i);
		sb_progress_at(&run->progress, i + 1);
	}
	if (!ret)
		ret = add_totals(r, sb_now_ns() - r->origin, cpu_ns() - cpu);
	else
		failed(run, "total", ret);
	r->timed = false;
	return ret ? ret : srcu_readers_count(run, r->readers);
}

int srcu_round(struct sb_run *run, const struct srcu_plan *plan)
{
	const struct srcu_params *params = srcu_params(run);
	struct srcu_round r = { .run = run, .vm = SRCU_VM_INIT, .vcpu = SRCU_VCPU_INIT };
	int ret;

	sb_progress_step(&run->progress, "making machines", MACHINES);
	ret = make_machines(&r);
	if (!ret)
		ret = slot_table_make(&r.slots, r.vm.fd, params->slots, params->slot_size);
	if (!ret && plan->prepare)
		ret = plan->prepare(&r);
	if (!ret)
		ret = srcu_readers_start(run, &r.vm, &r.readers);
	if (!ret && run->seed)
		sb_perturb(&srcu_state(run)->random);
	if (!ret)
		ret = operate(&r, plan);
	srcu_readers_stop(r.readers);
	drop_machine(&r);
	slot_table_free(&r.slots);
	return ret;
}
