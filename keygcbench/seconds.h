/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for seconds of the wall clock, which keys expire by. */
#ifndef KEYGC_SECONDS_H
#define KEYGC_SECONDS_H

#include <stdint.h>

struct sb_run;

/* CLOCK_REALTIME in ns. */
int64_t seconds_now_ns(void);

/*
 * Sleeps until a time of CLOCK_REALTIME, in short steps: it may be set meanwhile, and the trace
 * buffer must not run over. @most_s: how many seconds away it can be, if nobody sets the clock.
 * Returns 0, -EINTR, -ETIME (it was set back) or another -errno, both after a message.
 */
int seconds_wait(struct sb_run *run, int64_t ns, uint64_t most_s);

/*
 * Sleeps until a second has begun for the kernel, too, whose own second turns with the next
 * tick. It is the next one at the latest. Returns as seconds_wait().
 */
int seconds_wait_kernel(struct sb_run *run, int64_t second);

#endif
