// SPDX-License-Identifier: GPL-2.0-only
/* Phase umount: the last thing a file system does is to free its dentries, one by one. */
#include <errno.h>
#include <stdlib.h>

#include "dentrybench.h"
#include "effect.h"
#include "ownfs.h"
#include "pass.h"

/* One mount, directories in it, what they hold, and the unmounting. */
static int one_umount(struct sb_run *run, struct dentry_ownfs *fs, bool full)
{
	struct dentry_before before;
	struct dentry_dirs dirs;
	char name[32];
	uint64_t ns = 0;
	int ret, more;

	snprintf(name, sizeof(name), "%s%s", fs->below, full ? "full" : "none");
	ret = dentry_dirs_make(run, &dirs, name, dentry_dirs_wanted(run));
	if (!ret)
		ret = dentry_before_read(&before);
	if (!ret && full)
		ret = dentry_effect_fill(run, &dirs);
	if (!ret && full)
		ret = dentry_retained(run, &before);
	if (!ret)
		ret = dentry_before_read(&before);
	dentry_dirs_close(&dirs);
	if (!ret)
		ret = dentry_ownfs_umount(fs, &ns);
	if (!ret && full)
		ret = dentry_moved(run, &before, "released", true);
	if (!ret)
		ret = dentry_effect_add(run, full ? "stall" : "stall_none", ns);
	/* Mounted again whatever happened: the run's folder may be on it. */
	more = fs->mounted ? 0 : dentry_ownfs_mount(fs);
	dentry_dirs_drop(&dirs);
	return ret ? ret : more;
}

int dentry_phase_umount(struct sb_run *run)
{
	struct dentry_ownfs fs = { 0 };
	int ret = dentry_may_disturb(run);

	if (ret)
		return ret;
	ret = dentry_ownfs_open(run, &fs);
	if (!ret && !fs.image && !dentry_keeps(run))
		ret = sb_skip(run, "%s keeps none", fs.where);
	if (!ret)
		ret = one_umount(run, &fs, false);
	if (!ret)
		ret = one_umount(run, &fs, true);
	dentry_ownfs_close(&fs);
	return ret;
}
