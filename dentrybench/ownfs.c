// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../core/clock.h"
#include "dentrybench.h"
#include "ownfs.h"

#define IMAGE_BYTES (64 << 20) /* sparse: a few MiB are ever written */

/* Runs a program and waits. Returns its exit status, or -errno if it cannot be started. */
static int run_program(const char *const *argv)
{
	int status, err;
	pid_t pid;

	err = posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)argv, environ);
	if (err)
		return -err;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

/* Type of the file system mounted at where; to be freed. NULL if there is none. */
static char *mounted_type(const char *where)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *m;
	char *type = NULL;

	if (!mounts)
		return NULL;
	while ((m = getmntent(mounts))) {
		if (strcmp(m->mnt_dir, where) != 0)
			continue;
		/* The last one mounted there lies on top. */
		free(type);
		type = strdup(m->mnt_type);
	}
	endmntent(mounts);
	return type;
}

static bool is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return !strncmp(path, folder, len) && (path[len] == '/' || !path[len]);
}

/* 0, or -ENOENT if there is no scratch file system that is ours to unmount. */
static int take_scratch(struct sb_run *run, struct dentry_ownfs *fs)
{
	const char *scratch = getenv("STALLBENCH_SCRATCH");
	const char *device = getenv("STALLBENCH_SCRATCH_DEVICE");

	if (!scratch || !*scratch || !device || !*device)
		return -ENOENT;
	fs->where = realpath(scratch, NULL);
	if (!fs->where || !is_below(dentry_bench(run)->home, fs->where))
		return -ENOENT;
	fs->type = mounted_type(fs->where);
	fs->device = strdup(device);
	fs->below = "";
	fs->mounted = true;
	return fs->type && fs->device ? 0 : -ENOENT;
}

static int make_image(const char *path)
{
	const char *const mkfs[] = { "mkfs.ext4", "-q", "-F", path, NULL };
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600), ret;

	if (fd < 0)
		return sb_err(errno, "making %s", path);
	ret = ftruncate(fd, IMAGE_BYTES) ? sb_err(errno, "making %s", path) : 0;
	close(fd);
	if (ret)
		return ret;
	ret = run_program(mkfs);
	if (ret > 0) {
		sb_msg("mkfs.ext4 %s: exit status %d", path, ret);
		return -EIO;
	}
	return ret;
}

static int take_image(struct sb_run *run, struct dentry_ownfs *fs)
{
	const char *home = dentry_bench(run)->home;
	int ret;

	free(fs->where);
	free(fs->device);
	free(fs->type);
	*fs = (struct dentry_ownfs){ .image = true, .below = "mnt/" };
	fs->type = strdup("ext4");
	if (asprintf(&fs->where, "%s/mnt", home) < 0)
		fs->where = NULL;
	if (asprintf(&fs->device, "%s/image", home) < 0)
		fs->device = NULL;
	if (!fs->where || !fs->device || !fs->type)
		return sb_err(ENOMEM, "making a file system");
	ret = make_image(fs->device);
	if (ret == -ENOENT)
		return sb_skip(run, "no scratch file system, and no mkfs.ext4 to make one");
	if (!ret && mkdir(fs->where, 0700))
		ret = sb_err(errno, "making %s", fs->where);
	return ret;
}

int dentry_ownfs_open(struct sb_run *run, struct dentry_ownfs *fs)
{
	int ret;

	*fs = (struct dentry_ownfs){ 0 };
	if (!take_scratch(run, fs))
		return 0;
	ret = take_image(run, fs);
	if (ret)
		return ret;
	ret = dentry_ownfs_mount(fs);
	return ret ? sb_skip(run, "an image cannot be mounted here") : 0;
}

int dentry_ownfs_mount(struct dentry_ownfs *fs)
{
	const char *const loop[] = { "mount", "-o",	  "loop",    "-t",
				     "ext4",  fs->device, fs->where, NULL };
	int ret;

	if (fs->image) {
		ret = run_program(loop);
		if (ret > 0) {
			sb_msg("mount -o loop %s: exit status %d", fs->device, ret);
			return -EIO;
		}
		if (ret)
			return sb_err(ret, "mount -o loop %s", fs->device);
	} else if (mount(fs->device, fs->where, fs->type, 0, NULL)) {
		return sb_err(errno, "mounting %s at %s", fs->device, fs->where);
	}
	fs->mounted = true;
	return 0;
}

/* What has to be written is written before, so that it is not part of the time. */
static void sync_fs(const char *where)
{
	int fd = open(where, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	syncfs(fd);
	close(fd);
}

int dentry_ownfs_umount(struct dentry_ownfs *fs, uint64_t *ns)
{
	uint64_t begin;

	sync_fs(fs->where);
	begin = sb_now_ns();
	if (umount2(fs->where, 0))
		return sb_err(errno, "umount %s", fs->where);
	*ns += sb_now_ns() - begin;
	fs->mounted = false;
	return 0;
}

void dentry_ownfs_close(struct dentry_ownfs *fs)
{
	if (fs->image && fs->mounted && umount2(fs->where, MNT_DETACH))
		sb_err(errno, "umount %s", fs->where);
	if (fs->image && fs->where && fs->device) {
		rmdir(fs->where);
		unlink(fs->device);
	}
	free(fs->where);
	free(fs->device);
	free(fs->type);
	*fs = (struct dentry_ownfs){ 0 };
}
