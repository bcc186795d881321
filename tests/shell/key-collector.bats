#!/usr/bin/env bats
# The kernels' key collectors themselves: no key is forgotten, key types go. Mutants of the patch
# and the debug kernels are for make check-full.

# shellcheck disable=SC2016,SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup_file() {
	load common
	# bats has no skip in here; setup says it for each test.
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || return 0
	"$root/scripts/build-kernel" baseline keys-gc-chunks >&2
	make -s -C "$root" STATIC=1 SANITIZE= guest-tests >&2
}

setup() {
	load common
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
}

@test "baseline: requests in mid-pass, churn, key types" {
	run -0 "$root/tests/guest/run-keys" --seconds 5 baseline
	[[ $output == *"baseline: passed"* ]]
}

@test "keys-gc-chunks: the same" {
	run -0 "$root/tests/guest/run-keys" --seconds 5 keys-gc-chunks
	[[ $output == *"keys-gc-chunks: passed"* ]]
}

@test "a mutant that drops requests is caught" {
	"$root/scripts/build-kernel" --mutant "$root/tests/mutants/keys-gc-chunks/request-ignored.patch" keys-gc-chunks >&2
	run -1 "$root/tests/guest/run-keys" --seconds 0 "keys-gc-chunks~request-ignored"
}
