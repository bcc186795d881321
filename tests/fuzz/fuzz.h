/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a target of the fuzzer is: a function that is given bytes and must come back. It aborts
 * when a promise of the code under test does not hold.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The name is libFuzzer's. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Aborts with the words of the promise: a fuzzer knows a bug by its signal. */
#define PROMISE(what)                                                                      \
	do {                                                                               \
		if (!(what)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
			abort();                                                           \
		}                                                                          \
	} while (0)

#endif
