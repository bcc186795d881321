/* SPDX-License-Identifier: GPL-2.0-only */
/* Parameters and state that the phases of srcubench share. */
#ifndef SRCUBENCH_H
#define SRCUBENCH_H

#include "../core/bench.h"

#define SRCU_SLOTS_MOST                                                      \
	1000000 /* for the command line; the kernel's own limit is asked for \
		 */
#define SRCU_READERS_MOST 64

enum srcu_reader_kind { SRCU_READER_VCPU, SRCU_READER_MADVISE };

enum srcu_efi_firmware { SRCU_EFI_PFLASH, SRCU_EFI_BIOS };

struct srcu_params {
	struct sb_list ops;
	uint64_t slots;
	uint64_t slot_size; /* bytes */
	uint64_t readers;
	int reader_kind; /* enum srcu_reader_kind */
	struct sb_list cpus;
	int sched;	  /* enum srcu_sched */
	int efi_firmware; /* enum srcu_efi_firmware */
	uint64_t efi_boots;
	uint64_t efi_timeout; /* s */
};

struct srcu_state {
	uint64_t random;
};

static inline struct srcu_params *srcu_params(struct sb_run *run)
{
	return run->params;
}

static inline struct srcu_state *srcu_state(struct sb_run *run)
{
	return run->state;
}

int srcu_phase_churn(struct sb_run *run);
int srcu_phase_move(struct sb_run *run);
int srcu_phase_flags(struct sb_run *run);
int srcu_phase_efi_replay(struct sb_run *run);
int srcu_phase_efi_boot(struct sb_run *run);

#endif
