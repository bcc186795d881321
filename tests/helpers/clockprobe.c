// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints whatever could differ between two boots that claim to be the same: clocks, durations
 * of system calls, of sleeps and of processes, random bytes, addresses, and the time stamp
 * counter.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "counter.h"

static uint64_t now(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void some_syscalls(void)
{
	for (int i = 0; i < 2000; i++)
		syscall(SYS_getppid);
}

static void a_process(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void a_sleep(void)
{
	usleep(1234);
}

static void some_memory(void)
{
	size_t len = 4 << 20;
	char *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	for (size_t i = 0; i < len; i += 4096)
		at[i] = 1;
	munmap(at, len);
}

static void timed(const char *what, void (*work)(void))
{
	uint64_t start = now(CLOCK_MONOTONIC_RAW);

	work();
	printf("%s %lu\n", what, now(CLOCK_MONOTONIC_RAW) - start);
}

int main(void)
{
	const unsigned char *seed = (const unsigned char *)getauxval(AT_RANDOM);
	uint64_t bytes[2];

	printf("realtime %lu\nboottime %lu\n", now(CLOCK_REALTIME), now(CLOCK_BOOTTIME));
	for (int i = 0; i < 20; i++) {
		timed("syscalls", some_syscalls);
		timed("process", a_process);
		timed("sleep", a_sleep);
		timed("memory", some_memory);
	}
	if (getrandom(bytes, sizeof(bytes), GRND_NONBLOCK) == sizeof(bytes))
		printf("random %lx %lx\n", bytes[0], bytes[1]);
	for (int i = 0; i < 16; i++)
		printf("%02x", seed[i]);
	printf(" at_random\nstack %p\ntsc %llu\ncpu %lu\n", (void *)bytes,
	       (unsigned long long)counter(), now(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
