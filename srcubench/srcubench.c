// SPDX-License-Identifier: GPL-2.0-only
/* srcubench: how long changes of KVM memory slots wait for expedited SRCU grace periods. */
#include <errno.h>
#include <linux/kvm.h>
#include <string.h>
#include <unistd.h>

#include "../core/num.h"
#include "place.h"
#include "slot.h"
#include "srcubench.h"
#include "vm.h"

#define OFFSET(field) offsetof(struct srcu_params, field)

static const char *const reader_kinds[] = { "vcpu", "madvise", NULL };
static const char *const firmwares[] = { "pflash", "bios", NULL };
static const char *const scheds[] = { "other", "fifo", NULL };

static const struct sb_option options[] = {
	{ "ops",
	  SB_OPT_LIST,
	  OFFSET(ops),
	  "operations",
	  1,
	  1e8,
	  NULL,
	  { "300", "2000", "2000" },
	  "Operations of a phase (churn, efi_replay: pairs); several for a scaling run" },
	{ "slots",
	  SB_OPT_U64,
	  OFFSET(slots),
	  "slots",
	  1,
	  SRCU_SLOTS_MOST,
	  NULL,
	  { "1" },
	  "Memory slots of the machine that operations go round" },
	/* The variables file of OVMF, which is what its firmware writes to. */
	{ "slot-size",
	  SB_OPT_U64,
	  OFFSET(slot_size),
	  "bytes",
	  4096,
	  1 << 30,
	  NULL,
	  { "540672" },
	  "Size of a slot, in whole pages" },
	{ "readers",
	  SB_OPT_U64,
	  OFFSET(readers),
	  "threads",
	  0,
	  SRCU_READERS_MOST,
	  NULL,
	  { "0" },
	  "Threads that enter and leave read sections meanwhile" },
	{ "reader-kind",
	  SB_OPT_CHOICE,
	  OFFSET(reader_kind),
	  NULL,
	  0,
	  0,
	  reader_kinds,
	  { "vcpu" },
	  "What readers do: leave the guest as a vCPU, or madvise(2) away a page" },
	{ "cpu",
	  SB_OPT_LIST,
	  OFFSET(cpus),
	  NULL,
	  0,
	  1023,
	  NULL,
	  { NULL },
	  "CPUs to pin the caller and the readers to" },
	{ "sched",
	  SB_OPT_CHOICE,
	  OFFSET(sched),
	  NULL,
	  0,
	  0,
	  scheds,
	  { "other" },
	  "Scheduling class of the caller; fifo hides the stall" },
	{ "efi-firmware",
	  SB_OPT_CHOICE,
	  OFFSET(efi_firmware),
	  NULL,
	  0,
	  0,
	  firmwares,
	  { "pflash" },
	  "Code and variables in a flash each, or code by QEMU's -bios" },
	{ "efi-boots",
	  SB_OPT_U64,
	  OFFSET(efi_boots),
	  "boots",
	  1,
	  1000,
	  NULL,
	  { "1" },
	  "Times that phase efi_boot boots firmware" },
	{ "efi-timeout",
	  SB_OPT_U64,
	  OFFSET(efi_timeout),
	  "s",
	  1,
	  86400,
	  NULL,
	  { "600" },
	  "Limit for one of these boots" },
	{ 0 },
};

static const struct sb_phase phases[] = {
	{ "churn", "slots that are created and deleted", srcu_phase_churn },
	{ "move", "slots that change their address", srcu_phase_move },
	{ "flags", "dirty logging turned on and off", srcu_phase_flags },
	{ "efi_replay", "the slot changes of firmware that writes to its flash",
	  srcu_phase_efi_replay },
	{ "efi_boot", "real firmware in a machine of its own, to its end",
	  srcu_phase_efi_boot },
	{ 0 },
};

static const char *const on_demand[] = { "efi_boot", NULL };

static const struct sb_metric metrics[] = {
	{ .name = "total",
	  .unit = "us",
	  .better = "lower",
	  .primary = "avg",
	  .plot = "sweep",
	  .help = "all operations of the phase; efi_boot: from QEMU's start to the firmware's end" },
	{ .name = "slot_delete",
	  .unit = "us",
	  .better = "lower",
	  .primary = "avg",
	  .plot = "distribution timeline",
	  .help = "KVM_SET_USER_MEMORY_REGION, a slot deleted" },
	{ .name = "slot_create",
	  .unit = "us",
	  .better = "lower",
	  .plot = "distribution timeline",
	  .help = "KVM_SET_USER_MEMORY_REGION, a slot created" },
	{ .name = "slot_move",
	  .unit = "us",
	  .better = "lower",
	  .plot = "distribution timeline",
	  .help = "KVM_SET_USER_MEMORY_REGION, a slot at another address" },
	{ .name = "slot_flags",
	  .unit = "us",
	  .better = "lower",
	  .plot = "distribution timeline",
	  .help = "KVM_SET_USER_MEMORY_REGION, dirty logging changed" },
	{ .name = "grace_period",
	  .unit = "us",
	  .better = "lower",
	  .help = "derived: total divided by the grace periods of the operations" },
	{ .name = "caller_cpu",
	  .unit = "us",
	  .better = "lower",
	  .help = "derived: CPU time of the caller divided by the grace periods" },
	{ .name = "create_vm", .unit = "us", .better = "lower", .help = "KVM_CREATE_VM" },
	{ .name = "first_vcpu",
	  .unit = "us",
	  .better = "lower",
	  .help = "from KVM_CREATE_VCPU to the guest's first exit" },
	{ .name = "reader_ops",
	  .unit = "count",
	  .better = "none",
	  .help = "guest exits or madvise calls of one reader during the operations" },
	{ .name = "flash_changed",
	  .unit = "count",
	  .better = "none",
	  .help = "bytes of its flash that the firmware changed in one boot" },
	{ 0 },
};

static const struct sb_need needs[] = { { srcu_vm_check }, { 0 } };

static const char *const sysctls[] = { NULL };

static const char *const facts[] = { "srcutree.srcu_max_nodelay",
				     "srcutree.srcu_max_nodelay_phase",
				     "srcutree.srcu_retry_check_delay", NULL };

static int check_size(uint64_t size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (size % page == 0)
		return 0;
	sb_msg("--slot-size %llu is no multiple of the page, %llu bytes",
	       (unsigned long long)size, (unsigned long long)page);
	return -EINVAL;
}

/* Before any phase: to refuse after some of them would be late. */
static int check_slots(uint64_t slots)
{
	char asked[SB_NUM_LEN], there[SB_NUM_LEN];
	struct srcu_vm vm;
	uint64_t length, most;
	int ret = srcu_vm_open(&vm, &length);

	if (!ret) {
		most = srcu_vm_capability(&vm, KVM_CAP_NR_MEMSLOTS);
		if (slots > slot_room(most)) {
			sb_msg("--slots %s does not fit: a machine has %s here, one of which "
			       "holds the vCPUs' program",
			       sb_num_grouped(asked, slots), sb_num_grouped(there, most));
			ret = -EINVAL;
		}
	}
	srcu_vm_close(&vm);
	return ret;
}

static int prepare(struct sb_run *run)
{
	static struct srcu_state state; /* one run per process */
	const struct srcu_params *params = srcu_params(run);
	int ret;

	state = (struct srcu_state){ .random = run->seed };
	run->state = &state;
	ret = check_size(params->slot_size);
	if (!ret)
		ret = check_slots(params->slots);
	if (!ret)
		ret = srcu_place_pin(&params->cpus);
	if (ret)
		return ret;
	ret = srcu_place_schedule((enum srcu_sched)params->sched);
	return ret ? sb_skip(run, "--sched fifo: %s (needs CAP_SYS_NICE)", strerror(-ret)) : 0;
}

static const struct sb_bench srcubench = {
	.name = "srcubench",
	.summary =
		"Measures changes of KVM memory slots, each of which waits for expedited SRCU "
		"grace periods",
	.options = options,
	.phases = phases,
	.on_demand = on_demand,
	.metrics = metrics,
	.needs = needs,
	.sysctls = sysctls,
	.facts = facts,
	.scale = "ops",
	.params_size = sizeof(struct srcu_params),
	.prepare = prepare,
};

int main(int argc, char **argv)
{
	return sb_bench_main(&srcubench, argc, argv);
}
