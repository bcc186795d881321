/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What lib/assoc_array.c needs of the kernel, for a program of ours: memory is malloc's, so
 * that ASan sees all of it, and a grace period is over when the test says so.
 */
#ifndef STUBS_H
#define STUBS_H

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#define CONFIG_ASSOCIATIVE_ARRAY
#define BITS_PER_LONG 64
#define GFP_KERNEL 0
#define ilog2(n) (31 - __builtin_clz(n))
#define round_up(x, y) ((((x)-1) | ((__typeof__(x))(y)-1)) + 1)
#define round_down(x, y) ((x) & ~((__typeof__(x))(y)-1))
#define min(x, y) ((x) < (y) ? (x) : (y))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define container_of(p, type, member) ((type *)((char *)(p)-offsetof(type, member)))
#define struct_size(p, member, n) (sizeof(*(p)) + (n) * sizeof((p)->member[0]))
#define flex_array_size(p, member, n) ((n) * sizeof((p)->member[0]))
#define __ffs(x) ((unsigned long)__builtin_ctzl(x))
#define READ_ONCE(x) (*(volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define BUG_ON(x) assert(!(x))
#define BUG() abort()
#define BUILD_BUG_ON(x) _Static_assert(!(x), #x)
#define fallthrough __attribute__((fallthrough))
#define pr_devel(...) \
	do {          \
	} while (0)
#define REPEAT_BYTE(x) (~0ul / 0xff * (x))
#define swab64 __builtin_bswap64
#define swab32 __builtin_bswap32
#define ERR_PTR(e) ((void *)(long)(e))
#define PTR_ERR(p) ((long)(p))
#define IS_ERR(p) ((unsigned long)(p) >= (unsigned long)-4095)

struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *head);
};

/* Runs the callback at the next grace_period(). */
void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));

/* Fails now and then when the test wants it to. */
void *kmalloc(size_t size, int flags);
void *kzalloc(size_t size, int flags);
#define kfree(p) free((void *)(p))

#endif
