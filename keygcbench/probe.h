/* SPDX-License-Identifier: GPL-2.0-only */
/* What others feel while the collector runs: latency of another work item and of key calls. */
#ifndef KEYGC_PROBE_H
#define KEYGC_PROBE_H

#include <stdatomic.h>

struct sb_run;
struct probes;

/*
 * Makes the probes' keyrings and starts their threads. The probes drop no key: a final
 * key_put schedules the collector, and would turn its 3 executions into hundreds.
 * Their time line begins now; *floor grows with every key that they add.
 * Returns 0 or -errno after a message.
 */
int probes_start(struct sb_run *run, struct probes **probes, atomic_uint_fast64_t *floor);

/*
 * Ends the threads and adds bystander, add_key and unlink to the series of the phase.
 * Returns 0 or -errno after a message.
 */
int probes_finish(struct sb_run *run, struct probes *probes);

#endif
