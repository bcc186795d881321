// SPDX-License-Identifier: GPL-2.0-only
/* Runs the job inside the guest and sends what it left behind. */
#include "job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../core/msg.h"
#include "../core/random.h"
#include "readback.h"
#include "scratch.h"

/* A turn is some four instructions: up to four ticks of 4 ms in virtual time. */
#define PERTURB_TURNS (1u << 21)

static int read_file(const char *dir, const char *name, char **text, size_t *len)
{
	char path[4096];
	FILE *file;
	int err = 0;

	*text = NULL;
	*len = 0;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	for (;;) {
		char *more = realloc(*text, *len + 4096 + 1);
		size_t n;

		if (!more) {
			err = -ENOMEM;
			break;
		}
		*text = more;
		n = fread(*text + *len, 1, 4096, file);
		*len += n;
		(*text)[*len] = '\0';
		if (n < 4096)
			break;
	}
	if (!err && ferror(file))
		err = -EIO;
	fclose(file);
	return err;
}

/* A NULL-ended vector of the NUL-ended strings in @text. */
static char **split(char *text, size_t len)
{
	size_t count = 0, at = 0;
	char **list;

	for (size_t i = 0; i < len; i++)
		count += text[i] == '\0';
	list = calloc(count + 1, sizeof(*list));
	for (size_t i = 0; list && i < count; i++) {
		list[i] = text + at;
		at += strlen(list[i]) + 1;
	}
	return list;
}

static int read_list(const char *dir, const char *name, char **text, char ***list)
{
	size_t len;
	int err = read_file(dir, name, text, &len);

	if (err)
		return sb_err(err, "%s/%s", dir, name);
	*list = split(*text, len);
	return *list ? 0 : sb_err(ENOMEM, "%s/%s", dir, name);
}

static int read_optional(const char *dir, const char *name, char **text)
{
	size_t len;
	int err = read_file(dir, name, text, &len);

	return err == -ENOENT ? 0 : err;
}

int job_read(struct job *job, const char *dir)
{
	int err;

	memset(job, 0, sizeof(*job));
	snprintf(job->scratch, sizeof(job->scratch), "%s/scratch", dir);
	err = read_list(dir, "argv", &job->argv_text, &job->argv);
	if (!err && !job->argv[0])
		err = sb_err(EINVAL, "%s/argv holds no command", dir);
	if (!err)
		err = read_list(dir, "env", &job->env_text, &job->env);
	if (!err)
		err = read_optional(dir, "modules", &job->modules);
	if (!err)
		err = read_optional(dir, "parameters", &job->parameters);
	if (err)
		job_free(job);
	return err;
}

void job_free(struct job *job)
{
	free(job->argv_text);
	free(job->env_text);
	free(job->argv);
	free(job->env);
	free(job->modules);
	free(job->parameters);
	memset(job, 0, sizeof(*job));
}

const char *job_env(const struct job *job, const char *name)
{
	size_t len = strlen(name);

	for (char **env = job->env; *env; env++)
		if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
			return *env + len + 1;
	return NULL;
}

void job_perturb(uint64_t seed)
{
	/* Neighbouring seeds give unrelated delays. */
	uint64_t turns = seed ? sb_random(&seed) % PERTURB_TURNS : 0;

	while (turns--)
		__asm__ volatile("" : "+r"(turns));
}

static int redirect(const char *path, int flags, int to)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);

	if (fd < 0 || dup2(fd, to) < 0)
		return sb_err(errno, "%s", path);
	return 0;
}

/* What the job asked for beside its command: without it the command would measure another
 * thing. */
static int prepare(const struct job *job)
{
	int err = scratch_mount(job->scratch);

	if (err && err != -ENOENT)
		return err;
	if (!err) {
		setenv("STALLBENCH_SCRATCH", SCRATCH_DIR, 1);
		setenv("STALLBENCH_SCRATCH_DEVICE", SCRATCH_DEVICE, 1);
	}
	return job->parameters ? readback_check(job->parameters) : 0;
}

/* In the child. The shell's statuses: 126 cannot run, 127 not found. */
static void run_child(const struct job *job, const char *dir)
{
	const int create = O_WRONLY | O_CREAT | O_TRUNC;
	int err;

	if (chdir(dir)) {
		sb_err(errno, "%s", dir);
		_exit(126);
	}
	if (redirect("/dev/null", O_RDONLY, 0) || redirect("stdout.log", create, 1) ||
	    redirect("stderr.log", create, 2))
		_exit(126);
	for (char **env = job->env; *env; env++)
		putenv(*env);
	if (prepare(job))
		_exit(126);
	setsid();
	execvp(job->argv[0], job->argv);
	err = errno;
	sb_err(err, "%s", job->argv[0]);
	_exit(err == ENOENT ? 127 : 126);
}

int job_run(const struct job *job, const char *dir)
{
	pid_t child = fork(), pid;
	int status;

	if (child < 0)
		return sb_err(errno, "fork");
	if (child == 0)
		run_child(job, dir);
	/* As pid 1 we also reap what others leave behind. */
	do {
		pid = wait(&status);
		if (pid < 0 && errno != EINTR)
			return sb_err(errno, "wait");
	} while (pid != child);
	return WIFSIGNALED(status) ? CHAN_SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

static int ship_one(struct chan_out *out, int dir, const char *name)
{
	struct stat st;
	int fd, err;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return sb_err(errno, "%s", name);
	if (!S_ISREG(st.st_mode) || !chan_name_ok(name, strlen(name))) {
		sb_msg("'%s' is not sent: not a regular file with a plain name", name);
		return 0;
	}
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return sb_err(errno, "%s", name);
	err = chan_put_file(out, name, fd);
	close(fd);
	return err ? sb_err(err, "sending '%s'", name) : 0;
}

static int visible(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

int job_ship(struct chan_out *out, const char *dir)
{
	struct dirent **list = NULL;
	int fd, count = 0, err = 0;

	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return sb_err(errno, "%s", dir);
	/* Sorted by byte value: the order must not depend on tmpfs. */
	count = scandir(dir, &list, visible, alphasort);
	if (count < 0)
		err = sb_err(errno, "%s", dir);
	for (int i = 0; i < count; i++) {
		if (!err)
			err = ship_one(out, fd, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	close(fd);
	return err;
}
