/* SPDX-License-Identifier: GPL-2.0-only */
/* A file system of the guest's own, for benchmarks that tmpfs would not do for. */
#ifndef GUEST_SCRATCH_H
#define GUEST_SCRATCH_H

#define SCRATCH_DEVICE "/dev/ram0"
#define SCRATCH_DIR "/scratch"

/*
 * Copies the ext4 image in file @image to the RAM disk and mounts it at SCRATCH_DIR; the image
 * is removed, so that its memory is free again. A RAM disk, because a disk of the host's would
 * complete at the host's pace, and no two runs would be alike. Returns 0 or -errno after a
 * message; -ENOENT without one when there is no image: none was asked for.
 */
int scratch_mount(const char *image);

#endif
