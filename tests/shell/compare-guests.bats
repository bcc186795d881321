#!/usr/bin/env bats
# Real kernels compared: a slowdown of known size is found, and a kernel is the same as itself.

# shellcheck disable=SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup_file() {
	load common
	# bats has no skip in here; setup says it for each test.
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || return 0
	"$root/scripts/build-kernel" baseline test-slow-gc >&2
	export runs=$BATS_FILE_TMPDIR NO_INSTALL=1
	# The default of 20 turns is some 5 % of gc_cpu, 4 are 1 %.
	"$root/run-all.sh" --virtual-time -n 3 --no-plots -o "$runs/slow" -b keygcbench:unused \
		-k baseline -k test-slow-gc -k test-slow-gc+gc.slow_turns=4 -- --keys 20000 >&2
}

setup() {
	load common
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
	cd "$BATS_TEST_TMPDIR"
}

# The gc_cpu row of a kernel in the comparison's CSV.
gc_cpu() {	# gc_cpu KERNEL
	grep "^[^,]*,$1,.*,gc_cpu,avg," <<<"$output"
}

@test "virtual time, three boots: 5 % and 1 % are found, exit 1" {
	run -1 "$root/scripts/compare" --format csv "$runs/slow"
	[[ $(gc_cpu test-slow-gc) == *,worse,* ]]
	[[ $(gc_cpu test-slow-gc+gc.slow_turns=4) == *,worse,* ]]
}

@test "virtual time, one boot: 5 % is found at once, and a kernel is identical to itself" {
	for side in baseline test-slow-gc; do
		mkdir -p "$side"
		cp "$runs/slow"/{run,metrics}.csv "$side/"
		mkdir -p "$side/cells/$side/keygcbench"
		cp -r "$runs/slow/cells/$side/keygcbench/boot1" "$side/cells/$side/keygcbench/"
		grep -E "^cell,|cells/$side/keygcbench/boot1," "$runs/slow/plan.csv" >"$side/plan.csv"
		"$bin/report/benchcmp" summary "$side" "$root/results/reference"
	done
	run -1 "$root/scripts/compare" --format csv baseline test-slow-gc
	[[ $(gc_cpu test-slow-gc) == *,1,1,*,worse,* ]]
	run -0 "$root/scripts/compare" baseline baseline
	[[ $output == *"same, identical to the byte"* ]]
	[[ $output == *"0 worse, 0 better"* ]]
}

@test "report.html holds the verdict, and nothing that it would have to fetch" {
	[ -s "$runs/slow/report.html" ]
	grep -q '<b>Regression</b>' "$runs/slow/report.html"
	grep -q 'class="bad">worse' "$runs/slow/report.html"
	run ! grep -E 'src=|href="[^d]|@import|url\(' "$runs/slow/report.html"
}
