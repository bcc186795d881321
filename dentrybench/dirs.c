// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../core/stop.h"
#include "dentrybench.h"
#include "name.h"

#define HOMES_MOST 100
#define OPEN_AT_ONCE 8

/* A disk's file system is worth more than tmpfs, which keeps no negative dentries. */
static const char *base_folder(const struct dentry_params *params)
{
	static const char *const places[] = { "/var/tmp", "/tmp" };
	const char *scratch = getenv("STALLBENCH_SCRATCH");

	if (params->dir)
		return params->dir;
	if (scratch && *scratch)
		return scratch;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!access(places[i], W_OK | X_OK))
			return places[i];
	return ".";
}

int dentry_home_make(struct sb_run *run)
{
	struct dentry_bench *b = dentry_bench(run);
	const char *base = base_folder(dentry_params(run));

	b->base = realpath(base, NULL);
	if (!b->base)
		return sb_err(errno, "--dir '%s'", base);
	/* A killed run may have left a folder of the same number. */
	for (unsigned int i = 0; i < HOMES_MOST; i++) {
		if (asprintf(&b->home, "%s/dentrybench-%d.%u", b->base, getpid(), i) < 0) {
			b->home = NULL;
			return sb_err(ENOMEM, "making a folder in %s", b->base);
		}
		if (!mkdir(b->home, 0700))
			return 0;
		free(b->home);
		b->home = NULL;
		if (errno != EEXIST)
			break;
	}
	return sb_err(errno, "making a folder in %s", b->base);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	/* A failure shows at the end, when a folder is not empty. */
	return remove(path) && errno != ENOENT && errno != ENOTEMPTY && errno != EBUSY ? -1 : 0;
}

int dentry_remove_tree(const char *path)
{
	int ret = nftw(path, remove_one, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);

	/* Memory may be back: it is all that a walk needs. */
	if (ret && errno == ENOMEM)
		ret = nftw(path, remove_one, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	if (ret && errno != ENOENT)
		return sb_err(errno, "removing %s", path);
	if (!access(path, F_OK))
		return sb_err(EBUSY, "removing %s", path);
	return 0;
}

int dentry_home_drop(struct sb_run *run)
{
	struct dentry_bench *b = dentry_bench(run);
	int ret = b->home ? dentry_remove_tree(b->home) : 0;

	free(b->home);
	free(b->base);
	b->home = b->base = NULL;
	return ret;
}

unsigned int dentry_dirs_wanted(struct sb_run *run)
{
	const struct dentry_params *p = dentry_params(run);

	return p->layout == DENTRY_PER_THREAD ? (unsigned int)p->threads : 1;
}

char *dentry_dirs_path(const struct dentry_dirs *dirs, unsigned int i)
{
	char *path = NULL;

	if (asprintf(&path, "%s/%u", dirs->path, i) < 0) {
		sb_err(ENOMEM, "directory %u of %s", i, dirs->path);
		return NULL;
	}
	return path;
}

static int make_one(struct dentry_dirs *dirs, unsigned int i)
{
	char *path = dentry_dirs_path(dirs, i);
	int ret = 0;

	if (!path)
		return -ENOMEM;
	if (mkdir(path, 0700))
		ret = sb_err(errno, "making %s", path);
	if (!ret) {
		dirs->fd[i] = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dirs->fd[i] < 0)
			ret = sb_err(errno, "opening %s", path);
	}
	free(path);
	return ret;
}

int dentry_dirs_make(struct sb_run *run, struct dentry_dirs *dirs, const char *name,
		     unsigned int count)
{
	int ret = 0;

	*dirs = (struct dentry_dirs){ .count = count };
	dirs->fd = malloc(count * sizeof(*dirs->fd));
	if (!dirs->fd || asprintf(&dirs->path, "%s/%s", dentry_bench(run)->home, name) < 0) {
		free(dirs->fd);
		*dirs = (struct dentry_dirs){ 0 };
		return sb_err(ENOMEM, "making directories");
	}
	for (unsigned int i = 0; i < count; i++)
		dirs->fd[i] = -1;
	if (mkdir(dirs->path, 0700))
		return sb_err(errno, "making %s", dirs->path);
	for (unsigned int i = 0; i < count && !ret; i++)
		ret = make_one(dirs, i);
	return ret;
}

static int fill_one(struct sb_run *run, const struct dentry_dirs *dirs, unsigned int dir,
		    uint64_t count)
{
	struct dentry_name name;

	dentry_name_init(&name, DENTRY_KIND_FILE, dentry_bench(run)->run_id,
			 (unsigned int)dentry_params(run)->name_length);
	for (uint64_t i = 0; i < count && !sb_stopped(); i++) {
		int fd;

		dentry_name_set(&name, i);
		fd = openat(dirs->fd[dir], name.text, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC,
			    0600);
		if (fd < 0)
			return sb_err(errno, "making file %s/%u/%s", dirs->path, dir,
				      name.text);
		close(fd);
		sb_progress_at(&run->progress, dir * count + i);
	}
	return sb_stopped() ? -EINTR : 0;
}

int dentry_dirs_fill(struct sb_run *run, const struct dentry_dirs *dirs, uint64_t count)
{
	int ret = 0;

	sb_progress_step(&run->progress, "making files", count * dirs->count);
	for (unsigned int i = 0; i < dirs->count && !ret; i++)
		ret = fill_one(run, dirs, i, count);
	return ret;
}

void dentry_dirs_close(struct dentry_dirs *dirs)
{
	for (unsigned int i = 0; i < dirs->count; i++) {
		if (dirs->fd[i] >= 0)
			close(dirs->fd[i]);
		dirs->fd[i] = -1;
	}
}

void dentry_dirs_drop(struct dentry_dirs *dirs)
{
	dentry_dirs_close(dirs);
	if (dirs->path)
		dentry_remove_tree(dirs->path);
	free(dirs->path);
	free(dirs->fd);
	*dirs = (struct dentry_dirs){ 0 };
}
