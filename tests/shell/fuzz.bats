#!/usr/bin/env bats
# What fuzzing has found stays found: the corpora are given to their targets, without a fuzzer.

# shellcheck disable=SC2154 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup() {
	load common
	cd "$root" || return
}

replay() {	# replay TARGET: all its inputs come back
	local target=$bin/tests/fuzz/$1 inputs=(tests/fuzz/corpus/"$1"/*)
	[ -x "$target" ] || target=build/host/tests/fuzz/$1
	run -0 "$target" "${inputs[@]}"
	[ "$(grep -c "^tests/fuzz/corpus/$1/" <<<"$output")" -eq "${#inputs[@]}" ]
}

@test "the CSV reader's corpus" {
	replay csv
}

@test "the console scanner's corpus" {
	replay console
}

@test "the guest channel's corpus" {
	replay chan
}
