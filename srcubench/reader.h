/* SPDX-License-Identifier: GPL-2.0-only */
/* Readers of kvm->srcu beside the caller: threads that enter and leave read sections. */
#ifndef SRCUBENCH_READER_H
#define SRCUBENCH_READER_H

#include "srcubench.h"
#include "vm.h"

struct srcu_readers;

/*
 * Starts run's readers on the machine and waits until each has worked at least once. Returns 0,
 * -SB_SKIP, or -errno after a message (-ETIMEDOUT: a reader that does nothing). *readers stays
 * NULL with --readers 0.
 */
int srcu_readers_start(struct sb_run *run, struct srcu_vm *vm, struct srcu_readers **readers);

/* From here on what they do counts. */
void srcu_readers_mark(struct srcu_readers *readers);

/*
 * Adds what each did since the mark to reader_ops, a sample per reader. Returns 0, or -errno
 * after a message when one failed or did nothing: that would not have been pressure.
 */
int srcu_readers_count(struct sb_run *run, struct srcu_readers *readers);

/* Ends and frees them; NULL is allowed. */
void srcu_readers_stop(struct srcu_readers *readers);

#endif
