// SPDX-License-Identifier: GPL-2.0-only
/*
 * What keygcbench's loop of add_key costs over a bare one, and what two clock readings cost.
 * Rounds of both take turns in one run, first the one, then the other in front, and the median
 * of the rounds' ratios counts: a machine that changes its speed hits both alike. Rates are
 * per second of CPU time, so that other load on the machine does not count.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../core/clock.h"
#include "../../keygcbench/keygcbench.h"
#include "../../keygcbench/pass.h"

#define KEYS 20000
#define ROUNDS 61
#define LEAST 0.97

static double cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / SB_NS_PER_S;
}

/* A loop with nothing in it but what add_key needs: a description that nobody else has. */
static double bare_round(void)
{
	key_serial_t ring = add_key("keyring", "bare", NULL, 0, KEY_SPEC_PROCESS_KEYRING);
	char desc[KEYS_DESC_LEN + 1];
	double rate, begin = cpu_s();

	for (unsigned int i = 0; i < KEYS; i++) {
		keys_describe(desc, i);
		if (add_key("user", desc, "payload", 8, ring) < 0) {
			sb_err(errno, "add_key");
			return 0;
		}
	}
	rate = KEYS / (cpu_s() - begin);
	keyctl_unlink(ring, KEY_SPEC_PROCESS_KEYRING);
	return rate;
}

static double benchmark_round(struct sb_run *run)
{
	struct keyset *set = &keygc_state(run)->set;
	double begin = cpu_s();

	if (keys_make(run, set, KEYS, 1, 8))
		return 0;
	return (double)(set->keys + set->living) / (cpu_s() - begin);
}

static double two_clock_readings(void)
{
	uint64_t begin = sb_now_ns(), sum = 0;

	for (unsigned int i = 0; i < 1000000; i++)
		sum += sb_now_ns() - sb_now_ns();
	/* sum keeps the compiler from leaving the loop out. */
	return (double)(sb_now_ns() - begin) / 1000000 + (double)(sum == 1);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), ascending);
	return values[ROUNDS / 2];
}

int main(void)
{
	struct keygc_params params = { .keyrings = 1, .payload = 8 };
	struct keygc_state state = { 0 };
	struct sb_run run = { .params = &params, .state = &state, .scale = KEYS };
	static const char *const sysctls[] = { "kernel/keys/maxkeys", "kernel/keys/maxbytes",
					       NULL };
	double ratio[ROUNDS], bare[ROUNDS], benchmark[ROUNDS];
	int ret = sb_sysctl_open(&run.sysctls, sysctls);

	sb_progress_phase(&run.progress, "addkey", "overhead", true);
	state.owner = owner_take();
	keyctl_get_keyring_ID(KEY_SPEC_PROCESS_KEYRING, 1);
	if (!ret)
		ret = room_make(&run, KEYS);
	state.baseline = state.quota.nkeys;
	for (unsigned int i = 0; i < ROUNDS && !ret; i++) {
		for (unsigned int turn = 0; turn < 2; turn++) {
			if ((i + turn) % 2)
				benchmark[i] = benchmark_round(&run);
			else
				bare[i] = bare_round();
			pass_clean(&run);
		}
		ret = bare[i] > 0 && benchmark[i] > 0 ? 0 : -EIO;
		ratio[i] = benchmark[i] / bare[i];
	}
	sb_sysctl_restore(&run.sysctls);
	if (ret)
		return SB_EXIT_FAILED;
	printf("add_key, %d rounds of %d keys: bare %.0f/s, benchmark %.0f/s (CPU time), ratio %.3f (least %.2f)\n",
	       ROUNDS, KEYS, median(bare), median(benchmark), median(ratio), LEAST);
	printf("two clock readings: %.1f ns\n", two_clock_readings());
	return median(ratio) >= LEAST ? SB_EXIT_OK : SB_EXIT_FAILED;
}
