#!/usr/bin/env bats
# The kernels' key collectors themselves: no key is forgotten, key types go. Mutants of the patch
# and the debug kernels are for make check-full.

# shellcheck disable=SC2016,SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup_file() {
	load common
	# bats has no skip in here; setup says it for each test.
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || return 0
	"$root/scripts/build-kernel" baseline keys-gc-chunks keys-gc-bounded keys-gc-expiry-fix >&2
	make -s -C "$root" STATIC=1 SANITIZE= guest-programs guest-tests >&2
	"$root/scripts/make-initramfs" "$BATS_FILE_TMPDIR/initramfs"
}

setup() {
	load common
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
}

@test "baseline: requests in mid-pass, churn, key types" {
	run -0 "$root/tests/guest/run-keys" --seconds 5 --links 0 baseline
	[[ $output == *"baseline: passed"* ]]
}

@test "keys-gc-chunks: the same" {
	run -0 "$root/tests/guest/run-keys" --seconds 5 --links 0 keys-gc-chunks
	[[ $output == *"keys-gc-chunks: passed"* ]]
}

@test "keys-gc-bounded: the same, and large keyrings" {
	run -0 "$root/tests/guest/run-keys" --seconds 3 --rounds 30 --flood 0 keys-gc-bounded
	[[ $output == *"large keyrings"*"changed meanwhile, then dropped: nothing left"*"keys-gc-bounded: passed"* ]]
}

@test "keys-gc-bounded: the array in parts, as a program; its mutants are caught" {
	run -0 "$root/tests/assoc/run" keys-gc-bounded
	run -1 "$root/tests/assoc/run" --mutant "$root/tests/mutants/keys-gc-bounded/part-too-wide.patch" keys-gc-bounded
	run -1 "$root/tests/assoc/run" --mutant "$root/tests/assoc/mutants/old-tree-taken-apart.patch" keys-gc-bounded
}

lost() {	# lost KERNEL NAME: phase expiry_lost, left in NAME/
	"$root/scripts/boot-kernel" --virtual-time --initramfs "$BATS_FILE_TMPDIR/initramfs" --out "$BATS_TEST_TMPDIR/$2" \
		"$1" -- keygcbench --quiet --phase expiry_lost --keys 20000 --csv results.csv --hist hist.csv >&2
}

@test "keys that expire as a pass ends: lost on baseline, twice the same, none with the fix" {
	cd "$BATS_TEST_TMPDIR"
	lost baseline once
	lost baseline again
	lost keys-gc-expiry-fix fixed
	cmp once/results.csv again/results.csv
	cmp once/hist.csv again/hist.csv
	[ "$(field once/results.csv expiry_lost left_behind n)" -eq 8 ]
	[ "$(field once/results.csv expiry_lost left_behind max)" -eq 100 ]
	[ "$(field fixed/results.csv expiry_lost left_behind n)" -eq 8 ]
	[ "$(field fixed/results.csv expiry_lost left_behind max)" -eq 0 ]
}

@test "a mutant that drops requests is caught" {
	"$root/scripts/build-kernel" --mutant "$root/tests/mutants/keys-gc-chunks/request-ignored.patch" keys-gc-chunks >&2
	run -1 "$root/tests/guest/run-keys" --seconds 0 "keys-gc-chunks~request-ignored"
}
