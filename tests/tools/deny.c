// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command under a seccomp filter that fails some calls: deny ERRNO COMMAND... the key
 * calls and io_uring's set-up, deny -i REQUEST ERRNO COMMAND... the ioctls with this request.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/* Skips that many instructions when it is not so. */
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define FAIL(err) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (err))

static int filter(struct sock_filter *code, size_t count)
{
	struct sock_fprog program = { (unsigned short)count, code };

	if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	    !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 0;
	perror("seccomp");
	return -1;
}

static int deny_keys(unsigned int err)
{
	struct sock_filter code[] = {
		LOAD(nr),  UNLESS(SYS_add_key, 1),	  FAIL(err), UNLESS(SYS_keyctl, 1),
		FAIL(err), UNLESS(SYS_io_uring_setup, 1), FAIL(err), ALLOW,
	};

	return filter(code, sizeof(code) / sizeof(code[0]));
}

/* The lower half of the request, which is all there is of it. */
static int deny_ioctl(unsigned int request, unsigned int err)
{
	struct sock_filter code[] = {
		LOAD(nr), UNLESS(SYS_ioctl, 3), LOAD(args[1]), UNLESS(request, 1), FAIL(err),
		ALLOW,
	};

	return filter(code, sizeof(code) / sizeof(code[0]));
}

int main(int argc, char **argv)
{
	int is_ioctl = argc > 2 && !strcmp(argv[1], "-i");
	int at = is_ioctl ? 3 : 1;
	unsigned int err = argc > at + 1 ? (unsigned int)atoi(argv[at]) : 0;

	if (!err)
		return 2;
	if (is_ioctl ? deny_ioctl((unsigned int)strtoul(argv[2], NULL, 0), err)
		     : deny_keys(err))
		return 2;
	execvp(argv[at + 1], argv + at + 1);
	perror(argv[at + 1]);
	return 2;
}
