/* SPDX-License-Identifier: GPL-2.0-only */
/* SIGINT, SIGTERM and SIGHUP become a flag that every loop looks at. */
#ifndef SB_STOP_H
#define SB_STOP_H

/*
 * Installs the handlers; SIGPIPE is ignored, so that a closed pipe is an error of write.
 * System calls are not restarted: a sleeping benchmark wakes at once. Returns 0 or -errno.
 */
int sb_stop_install(void);

/* The number of the signal that asked to stop, or 0. */
int sb_stopped(void);

#endif
