// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded into a program: makes chosen calls fail.
 *
 *	FAULT_CALL=NAME     which; malloc stands for calloc and realloc, too
 *	FAULT_NTH=N         the Nth of them from the start of main, from 1 (the default)
 *	FAULT_TIMES=M       and the M-1 after it (1; 0 means all)
 *	FAULT_ERROR=NAME    with this errno; or short: half of the bytes are read or written;
 *	                    or step: the clock (clock_gettime) is an hour ahead from then on,
 *	                    back: an hour behind
 *	FAULT_REQUEST=N     only ioctls with this request
 *	FAULT_PROGRAM=NAME  only in the program of this name
 *	FAULT_LOG=FILE      a line for each fault goes there
 *	FAULT_LIMIT=S       SIGALRM ends the program after so many seconds
 *
 * Files that stdio opens and standard output read and write by way of read() and write() here,
 *so that those fail for them as well. Built with FAULT_MALLOC, which ASan does not live with,
 *memory can run out, too.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_S 3600

static struct {
	const char *call;
	int log; /* opened early: programs change who they are */
	long nth, times, request;
	int error;
	bool is_short;
	int step_s;
	bool request_given;
} fault;
static atomic_long calls;

static const struct {
	const char *name;
	int number;
} errors[] = {
	{ "ENOSPC", ENOSPC }, { "EINTR", EINTR },   { "EDQUOT", EDQUOT }, { "ENOMEM", ENOMEM },
	{ "EIO", EIO },	      { "EAGAIN", EAGAIN }, { "EMFILE", EMFILE }, { "EACCES", EACCES },
	{ "EPERM", EPERM },   { "ENOENT", ENOENT }, { "ENOSYS", ENOSYS }, { "EINVAL", EINVAL },
};

static void note(const char *call, long number)
{
	char line[128];
	int len = snprintf(line, sizeof(line), "%s %ld %s\n", call, number,
			   program_invocation_short_name);

	if (fault.log >= 0)
		syscall(SYS_write, fault.log, line, len);
}

/* Counts the call; whether it is one of those that fail. errno is set then. */
static bool hit(const char *call)
{
	long number;

	if (!fault.call || strcmp(call, fault.call) != 0)
		return false;
	number = atomic_fetch_add(&calls, 1) + 1;
	if (number < fault.nth || (fault.times && number >= fault.nth + fault.times))
		return false;
	note(call, number);
	errno = fault.error;
	return true;
}

static long number_of(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 0) : otherwise;
}

/* ---- calls that fail or do not ---- */

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define WRAP(type, failed, name, parameters, arguments) \
	type name parameters                            \
	{                                               \
		static __typeof__(&name) next;          \
                                                        \
		if (hit(#name))                         \
			return failed;                  \
		if (!next)                              \
			next = NEXT(name);              \
		return next arguments;                  \
	}

/* Of libraries that are not needed to build this. */
int32_t add_key(const char *type, const char *name, const void *payload, size_t len,
		int32_t ring);
long keyctl_clear(int32_t ring);
long keyctl_unlink(int32_t key, int32_t ring);
int io_uring_queue_init(unsigned int entries, void *ring, unsigned int flags);
int mount(const char *source, const char *target, const char *type, unsigned long flags,
	  const void *data);
int flock(int fd, int operation);
int pidfd_open(pid_t pid, unsigned int flags);

WRAP(int32_t, -1, add_key,
     (const char *type, const char *name, const void *payload, size_t len, int32_t ring),
     (type, name, payload, len, ring))
WRAP(long, -1, keyctl_clear, (int32_t ring), (ring))
WRAP(long, -1, keyctl_unlink, (int32_t key, int32_t ring), (key, ring))
WRAP(int, -fault.error, io_uring_queue_init,
     (unsigned int entries, void *ring, unsigned int flags), (entries, ring, flags))
WRAP(int, -1, mount,
     (const char *source, const char *target, const char *type, unsigned long flags,
      const void *data),
     (source, target, type, flags, data))
WRAP(int, -1, flock, (int fd, int operation), (fd, operation))
WRAP(int, -1, pidfd_open, (pid_t pid, unsigned int flags), (pid, flags))
WRAP(pid_t, -1, fork, (void), ())
WRAP(int, -1, pipe2, (int fds[2], int flags), (fds, flags))
WRAP(pid_t, -1, waitpid, (pid_t pid, int *status, int options), (pid, status, options))
WRAP(int, -1, poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout))
WRAP(int, fault.error, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg),
     (thread, attr, start, arg))
WRAP(int, fault.error, clock_nanosleep,
     (clockid_t id, int flags, const struct timespec *want, struct timespec *left),
     (id, flags, want, left))
WRAP(int, -1, sigaction, (int sig, const struct sigaction *act, struct sigaction *old),
     (sig, act, old))
WRAP(void *, MAP_FAILED, mmap, (void *at, size_t len, int prot, int flags, int fd, off_t off),
     (at, len, prot, flags, fd, off))
WRAP(int, -1, memfd_create, (const char *name, unsigned int flags), (name, flags))
WRAP(int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(int, -1, mkostemp, (char *path, int flags), (path, flags))
WRAP(int, -1, ftruncate, (int fd, off_t len), (fd, len))
WRAP(int, -1, unlink, (const char *path), (path))
WRAP(int, -1, rmdir, (const char *path), (path))
WRAP(int, -1, rename, (const char *from, const char *to), (from, to))
WRAP(int, -1, renameat, (int from_fd, const char *from, int to_fd, const char *to),
     (from_fd, from, to_fd, to))
WRAP(int, -1, fstatat, (int fd, const char *path, struct stat *st, int flags),
     (fd, path, st, flags))
WRAP(int, -1, stat, (const char *path, struct stat *st), (path, st))

/* The file is closed all the same, as Linux does it. */
int close(int fd)
{
	bool failed = hit("close");
	int err = errno, ret = (int)syscall(SYS_close, fd);

	if (!failed)
		return ret;
	errno = err;
	return -1;
}

/* What the length of a transfer becomes; 0 when it fails. */
static size_t transfer(const char *call, size_t len)
{
	if (!hit(call))
		return len;
	return fault.is_short && len > 1 ? len / 2 : fault.is_short ? len : 0;
}

#define WRAP_TRANSFER(name, number, parameters, ...)                  \
	ssize_t name parameters                                       \
	{                                                             \
		size_t n = len ? transfer(#name, len) : 0;            \
                                                                      \
		return len && !n ? -1 : syscall(number, __VA_ARGS__); \
	}

WRAP_TRANSFER(read, SYS_read, (int fd, void *buf, size_t len), fd, buf, n)
WRAP_TRANSFER(write, SYS_write, (int fd, const void *buf, size_t len), fd, buf, n)
WRAP_TRANSFER(pread, SYS_pread64, (int fd, void *buf, size_t len, off_t at), fd, buf, n, at)
WRAP_TRANSFER(pwrite, SYS_pwrite64, (int fd, const void *buf, size_t len, off_t at), fd, buf, n,
	      at)

static int open_at(const char *call, int fd, const char *path, int flags, va_list ap)
{
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;

	return hit(call) ? -1 : (int)syscall(SYS_openat, fd, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = open_at("open", AT_FDCWD, path, flags, ap);
	va_end(ap);
	return fd;
}

int openat(int at, const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = open_at("openat", at, path, flags, ap);
	va_end(ap);
	return fd;
}

int ioctl(int fd, unsigned long request, ...)
{
	void *arg;
	va_list ap;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if ((!fault.request_given || (unsigned long)fault.request == request) && hit("ioctl"))
		return -1;
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	int ret = (int)syscall(SYS_clock_gettime, id, ts);

	if (fault.step_s && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) &&
	    hit("clock_gettime"))
		ts->tv_sec += fault.step_s;
	return ret;
}

/* ---- stdio ---- */

static ssize_t cookie_read(void *cookie, char *buf, size_t len)
{
	return read((int)(intptr_t)cookie, buf, len);
}

/* As stdio does it for files of its own: a short write goes on. Less than all is an error. */
static ssize_t cookie_write(void *cookie, const char *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = write((int)(intptr_t)cookie, buf + done, len - done);

		if (n < 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static int cookie_close(void *cookie)
{
	return close((int)(intptr_t)cookie);
}

static FILE *stream(int fd, const char *mode)
{
	static const cookie_io_functions_t functions = {
		.read = cookie_read,
		.write = cookie_write,
		.close = cookie_close,
	};

	return fopencookie((void *)(intptr_t)fd, mode, functions);
}

FILE *fopen(const char *path, const char *mode)
{
	int flags = mode[0] == 'r'   ? O_RDONLY
		    : mode[0] == 'w' ? O_WRONLY | O_CREAT | O_TRUNC
				     : O_WRONLY | O_CREAT | O_APPEND;
	int fd = hit("fopen") ? -1 : (int)syscall(SYS_open, path, flags | O_CLOEXEC, 0666);

	return fd < 0 ? NULL : stream(fd, (char[]){ mode[0], '\0' });
}

#ifdef FAULT_MALLOC
/*
 * Patterns take thousands of allocations, and regcomp() of glibc 2.36 frees something twice
 * when one of them fails: each of the two functions counts as one.
 */
static _Thread_local bool in_regex;

int regcomp(regex_t *re, const char *pattern, int flags)
{
	int ret;

	if (hit("malloc"))
		return REG_ESPACE;
	in_regex = true;
	ret = NEXT(regcomp)(re, pattern, flags);
	in_regex = false;
	return ret;
}

/* Declared with an array of variable length. */
#pragma GCC diagnostic ignored "-Wvla-parameter"
int regexec(const regex_t *re, const char *text, size_t count, regmatch_t *match, int flags)
{
	int ret;

	if (hit("malloc"))
		return REG_ESPACE;
	in_regex = true;
	ret = NEXT(regexec)(re, text, count, match, flags);
	in_regex = false;
	return ret;
}

void *__libc_malloc(size_t len);
void *__libc_calloc(size_t count, size_t len);
void *__libc_realloc(void *at, size_t len);

void *malloc(size_t len)
{
	return !in_regex && hit("malloc") ? NULL : __libc_malloc(len);
}

void *calloc(size_t count, size_t len)
{
	return !in_regex && hit("malloc") ? NULL : __libc_calloc(count, len);
}

void *realloc(void *at, size_t len)
{
	return !in_regex && hit("malloc") ? NULL : __libc_realloc(at, len);
}
#endif

/* Out of the way of the program's own descriptors. */
static int open_log(const char *path)
{
	int fd = path ? (int)syscall(SYS_open, path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 200);

	if (fd >= 0)
		syscall(SYS_close, fd);
	return high;
}

__attribute__((constructor)) static void set_up(void)
{
	const char *call = getenv("FAULT_CALL"), *error = getenv("FAULT_ERROR");
	const char *program = getenv("FAULT_PROGRAM");

	if (!call || (program && strcmp(program, program_invocation_short_name) != 0))
		return;
	stdout = stream(STDOUT_FILENO, "w");
	fault.nth = number_of("FAULT_NTH", 1);
	fault.times = number_of("FAULT_TIMES", 1);
	fault.request = number_of("FAULT_REQUEST", 0);
	fault.request_given = getenv("FAULT_REQUEST");
	fault.log = open_log(getenv("FAULT_LOG"));
	fault.is_short = error && !strcmp(error, "short");
	fault.step_s = error && !strcmp(error, "step")	 ? STEP_S
		       : error && !strcmp(error, "back") ? -STEP_S
							 : 0;
	if (fault.step_s)
		fault.times = 0;
	for (size_t i = 0; error && i < sizeof(errors) / sizeof(errors[0]); i++)
		if (!strcmp(error, errors[i].name))
			fault.error = errors[i].number;
	if (!fault.error && !fault.is_short && !fault.step_s) {
		dprintf(STDERR_FILENO, "fault: FAULT_ERROR=%s is none\n", error ? error : "");
		_exit(99);
	}
	alarm((unsigned int)number_of("FAULT_LIMIT", 0));
	fault.call = call;
}
