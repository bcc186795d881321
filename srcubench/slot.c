// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <linux/kvm.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "../core/clock.h"
#include "../core/msg.h"
#include "slot.h"

#define LOWEST_GPA (4ULL << 30)

enum slot_change slot_change(const struct slot *from, const struct slot *to)
{
	if (!from->size)
		return to->size ? SLOT_CREATE : SLOT_NOTHING;
	if (!to->size)
		return SLOT_DELETE;
	if (from->size != to->size || (from->flags ^ to->flags) & KVM_MEM_READONLY)
		return SLOT_IMPOSSIBLE;
	if (from->gpa != to->gpa)
		return SLOT_MOVE;
	return from->flags != to->flags ? SLOT_FLAGS : SLOT_NOTHING;
}

unsigned int slot_grace_periods(enum slot_change change)
{
	switch (change) {
	case SLOT_CREATE:
	case SLOT_FLAGS:
		return 1;
	case SLOT_DELETE:
	case SLOT_MOVE:
		return 2;
	case SLOT_NOTHING:
	case SLOT_IMPOSSIBLE:
		break;
	}
	return 0;
}

uint64_t slot_gpa(uint64_t index, uint64_t size, unsigned int place)
{
	return LOWEST_GPA + (2 * index + place) * size;
}

uint64_t slot_room(uint64_t most)
{
	return most > SLOT_FIRST ? most - SLOT_FIRST : 0;
}

struct slot slot_present(const struct slot_table *table, uint64_t index, unsigned int place,
			 uint32_t flags)
{
	return (struct slot){ slot_gpa(index, table->size, place), table->size, flags };
}

int slot_table_make(struct slot_table *table, int vm, uint64_t count, uint64_t size)
{
	*table = (struct slot_table){ .vm = vm, .count = count, .size = size };
	/* Never touched, so never there. */
	table->memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (table->memory == MAP_FAILED) {
		table->memory = NULL;
		return sb_err(errno, "mapping %" PRIu64 " bytes for a memory slot", size);
	}
	table->slots = calloc(count, sizeof(*table->slots));
	return table->slots ? 0 : sb_err(ENOMEM, "keeping %" PRIu64 " memory slots", count);
}

void slot_table_free(struct slot_table *table)
{
	if (table->memory)
		munmap(table->memory, table->size);
	free(table->slots);
	*table = (struct slot_table){ 0 };
}

static int fail(int err, const struct slot_table *table, uint64_t index,
		enum slot_change change)
{
	static const char *const verbs[] = {
		[SLOT_NOTHING] = "leaving as it is",
		[SLOT_CREATE] = "creating",
		[SLOT_DELETE] = "deleting",
		[SLOT_MOVE] = "moving",
		[SLOT_FLAGS] = "changing the flags of",
		[SLOT_IMPOSSIBLE] = "resizing",
	};

	return sb_err(err,
		      "KVM_SET_USER_MEMORY_REGION, %s slot %" PRIu64 " of %" PRIu64 " bytes",
		      verbs[change], SLOT_FIRST + index, table->size);
}

int slot_set(struct slot_table *table, uint64_t index, const struct slot *to,
	     struct slot_timing *timing)
{
	struct kvm_userspace_memory_region region = {
		.slot = (uint32_t)(SLOT_FIRST + index),
		.flags = to->flags,
		.guest_phys_addr = to->gpa,
		.memory_size = to->size,
		.userspace_addr = (uintptr_t)table->memory,
	};
	int ret;

	timing->change = slot_change(&table->slots[index], to);
	if (timing->change == SLOT_NOTHING || timing->change == SLOT_IMPOSSIBLE)
		return fail(EINVAL, table, index, timing->change);
	timing->start = sb_now_ns();
	ret = ioctl(table->vm, KVM_SET_USER_MEMORY_REGION, &region);
	timing->length = sb_now_ns() - timing->start;
	if (ret < 0)
		return fail(errno, table, index, timing->change);
	table->slots[index] = *to;
	table->grace_periods += slot_grace_periods(timing->change);
	return 0;
}
