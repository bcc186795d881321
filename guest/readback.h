/* SPDX-License-Identifier: GPL-2.0-only */
/* Did the kernel take the parameters it was asked to boot with? */
#ifndef GUEST_READBACK_H
#define GUEST_READBACK_H

#include <stdbool.h>

/*
 * The file that shows a parameter: "srcutree.srcu_max_nodelay" is one of a module,
 * "sysctl.fs.x" a sysctl (the kernel's own command line names them so, see parse_args() and
 * do_sysctl_args()). Returns 0, or -EINVAL for a name of neither form, -ENAMETOOLONG for one
 * that does not fit.
 */
int readback_path(const char *name, char *path, unsigned long size);

/* Whether @shown is the value @asked: the same text, number (in C's notation) or truth value.
 */
bool readback_same(const char *asked, const char *shown);

/*
 * Looks at each line PARAM=VALUE of @parameters (taken apart in doing so). Returns 0 if all
 * took, else -errno of the first that did not, after a message about each.
 */
int readback_check(char *parameters);

#endif
