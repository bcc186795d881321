#!/usr/bin/env bats
# The limit of negative dentries in the kernel itself: what counts, what is killed, what is left
# over. Most mutants of the patches and the debug kernel are for make check-full.

# shellcheck disable=SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup_file() {
	load common
	# bats has no skip in here; setup says it for each test.
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || return 0
	"$root/scripts/build-kernel" baseline dcache-neg-limit >&2
	make -s -C "$root" STATIC=1 SANITIZE= guest-tests >&2
}

setup() {
	load common
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
}

@test "dcache-neg-limit: each rule to the dentry, then threads" {
	run "$root/tests/guest/run-dentries" --seconds 5 dcache-neg-limit
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"dcache-neg-limit: passed"* ]]
}

@test "dcache-neg-limit: the bound holds when enforced, and only then" {
	run "$root/tests/guest/run-dentries" --bound 100000 dcache-neg-limit
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"not enforced: 100000 negative dentries"* ]]
}

@test "baseline has no limit, so the tests are skipped there" {
	run -77 "$root/tests/guest/run-dentries" --seconds 0 baseline
	[[ $output == *"a kernel without the limit"* ]]
}

@test "a mutant that leaks a count is caught" {
	"$root/scripts/build-kernel" --mutant "$root/tests/mutants/dcache-neg-limit/rename-target-leaked.patch" dcache-neg-limit >&2
	run -1 "$root/tests/guest/run-dentries" --seconds 0 "dcache-neg-limit~rename-target-leaked"
	[[ $output == *"moved to names that were missed"* ]]
}

# Prints "SURVIVORS RETAINED", of 1,000 files and 100,000 misses.
survivors() {	# survivors KERNEL
	local out=$BATS_TEST_TMPDIR/$1
	"$root/scripts/boot-kernel" --virtual-time --scratch 32M --out "$out" "$1" -- \
		dentrybench --quiet --phase positive_survivors --count 100000 --csv results.csv >&2
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ avg[$at["metric"]] = $at["avg"] }
		END { print avg["survivors"], avg["retained"] }' "$out/results.csv"
}

@test "files outlive a flood of misses on dcache-neg-limit, and not on baseline" {
	read -r without retained_without <<<"$(survivors baseline)"
	read -r with retained_with <<<"$(survivors dcache-neg-limit)"
	echo "baseline: $without, $retained_without left; dcache-neg-limit: $with, $retained_with left"
	[ "$without" -le 500 ]
	[ "$with" -ge 900 ]
	# The pressure was the same, and only partial.
	for retained in "$retained_without" "$retained_with"; do
		[ "$retained" -gt 12500 ]
		[ "$retained" -le 25100 ]
	done
}
