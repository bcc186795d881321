// SPDX-License-Identifier: GPL-2.0-only
/* What keygcbench's loop of add_key costs over a bare one, and what two clock readings cost. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../core/clock.h"
#include "../../keygcbench/keygcbench.h"
#include "../../keygcbench/pass.h"
#include "overhead.h"

#define KEYS 20000

/* A loop with nothing in it but what add_key needs: a description that nobody else has. */
static double bare_round(void *run)
{
	key_serial_t ring = add_key("keyring", "bare", NULL, 0, KEY_SPEC_PROCESS_KEYRING);
	char desc[KEYS_DESC_LEN + 1];
	double rate, begin = overhead_cpu_s();

	for (unsigned int i = 0; i < KEYS; i++) {
		keys_describe(desc, i);
		if (add_key("user", desc, "payload", 8, ring) < 0) {
			sb_err(errno, "add_key");
			return 0;
		}
	}
	rate = KEYS / (overhead_cpu_s() - begin);
	keyctl_unlink(ring, KEY_SPEC_PROCESS_KEYRING);
	pass_clean(run);
	return rate;
}

static double benchmark_round(void *run)
{
	struct keyset *set = &keygc_state(run)->set;
	double rate, begin = overhead_cpu_s();

	if (keys_make(run, set, KEYS, 1, 8))
		return 0;
	rate = (double)(set->keys + set->living) / (overhead_cpu_s() - begin);
	pass_clean(run);
	return rate;
}

static double two_clock_readings(void)
{
	uint64_t begin = sb_now_ns(), sum = 0;

	for (unsigned int i = 0; i < 1000000; i++)
		sum += sb_now_ns() - sb_now_ns();
	/* sum keeps the compiler from leaving the loop out. */
	return (double)(sb_now_ns() - begin) / 1000000 + (double)(sum == 1);
}

int main(void)
{
	struct keygc_params params = { .keyrings = 1, .payload = 8 };
	struct keygc_state state = { 0 };
	struct sb_run run = { .params = &params, .state = &state, .scale = KEYS };
	static const char *const sysctls[] = { "kernel/keys/maxkeys", "kernel/keys/maxbytes",
					       NULL };
	const struct overhead add_key = { .what = "add_key",
					  .each = KEYS,
					  .least = 0.97,
					  .bare = bare_round,
					  .benchmark = benchmark_round };
	int ret = sb_sysctl_open(&run.sysctls, sysctls);

	sb_progress_phase(&run.progress, "addkey", "overhead", true);
	state.owner = owner_take();
	keyctl_get_keyring_ID(KEY_SPEC_PROCESS_KEYRING, 1);
	if (!ret)
		ret = room_make(&run, KEYS);
	state.baseline = state.quota.nkeys;
	ret = ret ? ret : overhead_compare(&add_key, &run);
	sb_sysctl_restore(&run.sysctls);
	if (ret)
		return SB_EXIT_FAILED;
	printf("two clock readings: %.1f ns\n", two_clock_readings());
	return SB_EXIT_OK;
}
