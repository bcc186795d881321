/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory slots of a KVM machine: what each change is, and how many grace periods it takes. */
#ifndef SRCUBENCH_SLOT_H
#define SRCUBENCH_SLOT_H

#include <stdbool.h>
#include <stdint.h>

/* As the kernel sees a slot; size 0 is a slot that is not there. */
struct slot {
	uint64_t gpa, size; /* bytes, whole pages */
	uint32_t flags;	    /* KVM_MEM_* */
};

enum slot_change {
	SLOT_NOTHING, /* the kernel returns 0 at once: not an operation */
	SLOT_CREATE,
	SLOT_DELETE,
	SLOT_MOVE,
	SLOT_FLAGS,
	SLOT_IMPOSSIBLE, /* the kernel refuses it: another size, or another KVM_MEM_READONLY */
};

/* What kvm_set_memory_region() (virt/kvm/kvm_main.c) makes of a request. */
enum slot_change slot_change(const struct slot *from, const struct slot *to);

/*
 * Expedited grace periods of kvm->srcu that a change waits for: one for each time the other set
 * of slots becomes the active one (kvm_swap_active_memslots). A slot that goes or moves is
 * first marked invalid, which is one more.
 */
unsigned int slot_grace_periods(enum slot_change change);

/*
 * Guest-physical address of slot index at its place 0 or 1: no two of them overlap, whatever
 * place each is at, and all are above 4 GiB, where x86 has nothing of its own.
 */
uint64_t slot_gpa(uint64_t index, uint64_t size, unsigned int place);

/*
 * Slot numbers: SLOT_CODE holds the vCPUs' program, the slots that change come after it.
 */
#define SLOT_CODE 0
#define SLOT_FIRST 1

/* How many slots can change when the kernel has most of them (KVM_CAP_NR_MEMSLOTS). */
uint64_t slot_room(uint64_t most);

/* The slots of one machine that change. */
struct slot_table {
	int vm;
	void *memory; /* behind every slot: what is in it does not matter */
	uint64_t size;
	uint64_t count;
	struct slot *slots;
	uint64_t grace_periods; /* that changes waited for; may be set back */
};

/* Returns 0, or -errno after a message. All slots are absent. */
int slot_table_make(struct slot_table *table, int vm, uint64_t count, uint64_t size);
void slot_table_free(struct slot_table *table);

struct slot_timing {
	enum slot_change change;
	uint64_t start, length; /* ns */
};

/*
 * Changes a slot and times the one system call. Returns 0, or -errno after a message: -EINVAL
 * without a system call when it would change nothing. After an error there is no time.
 */
int slot_set(struct slot_table *table, uint64_t index, const struct slot *to,
	     struct slot_timing *timing);

/* What slot index looks like when it is there. */
struct slot slot_present(const struct slot_table *table, uint64_t index, unsigned int place,
			 uint32_t flags);

#endif
