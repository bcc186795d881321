/* SPDX-License-Identifier: GPL-2.0-only */
/* A file system that may be unmounted: the guest's scratch one, or an image of our own. */
#ifndef DENTRY_OWNFS_H
#define DENTRY_OWNFS_H

#include <stdbool.h>
#include <stdint.h>

struct sb_run;

struct dentry_ownfs {
	char *where;  /* mount point */
	char *device; /* of the scratch file system, or the image */
	char *type;
	bool image, mounted;
	const char *below; /* where in the home folder its directories go: "mnt/" or "" */
};

/*
 * Takes the file system of STALLBENCH_SCRATCH and STALLBENCH_SCRATCH_DEVICE if the run's folder
 * is on it, else makes an ext4 image in that folder and mounts it. Returns 0, -SB_SKIP with the
 * reason said, or -errno after a message; to be put away in any case.
 */
int dentry_ownfs_open(struct sb_run *run, struct dentry_ownfs *fs);

/* Both return 0 or -errno after a message. Unmounting adds its time to ns. */
int dentry_ownfs_umount(struct dentry_ownfs *fs, uint64_t *ns);
int dentry_ownfs_mount(struct dentry_ownfs *fs);

/* The scratch file system stays mounted, the image does not. */
void dentry_ownfs_close(struct dentry_ownfs *fs);

#endif
