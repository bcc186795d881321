// SPDX-License-Identifier: GPL-2.0-only
/*
 * sleeps N: sleeps N times for 50 us and prints the time after every hundred. An idle guest is
 * where a clock that counts instructions could be moved on by the host's scheduler
 * (guest/ordered.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = 50000 };
	long count = argc > 1 ? atol(argv[1]) : 0;
	struct timespec now;

	for (long i = 1; i <= count; i++) {
		nanosleep(&pause, NULL);
		if (i % 100)
			continue;
		clock_gettime(CLOCK_MONOTONIC, &now);
		printf("%ld %lld.%09ld\n", i, (long long)now.tv_sec, now.tv_nsec);
	}
	return fflush(stdout) ? 1 : 0;
}
