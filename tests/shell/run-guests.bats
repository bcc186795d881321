#!/usr/bin/env bats
# The main job on kernels of ours, in guests: plan, virtual time, kernels that are none, resume.

# shellcheck disable=SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup_file() {
	load common
	# bats has no skip in here; setup says it for each test.
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || return 0
	"$root/scripts/build-kernel" baseline keys-gc-chunks >&2
	export runs=$BATS_FILE_TMPDIR
}

setup() {
	load common
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
	export NO_INSTALL=1
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ -z "${stress-}" ] || kill "$stress" 2>/dev/null || true
}

small=(-b keygcbench:unused --no-plots)

@test "both kernels in virtual time: the same executions' total, a much smaller maximum" {
	run -0 "$root/run-all.sh" -k baseline -k keys-gc-chunks --virtual-time -o "$runs/first" "${small[@]}" \
		-- --keys 20000 --release clear
	cd "$runs/first"
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["phase"] == "unused" && $at["metric"] == "gc_work" {
			max[$at["kernel"]] = $at["max"]
			total[$at["kernel"]] = $at["n"] * $at["avg"]
			n[$at["kernel"]] = $at["n"]
		}
		$at["metric"] == "bystander" { bystander[$at["kernel"]] = $at["max"] }
		END {
			a = "baseline"; b = "keys-gc-chunks"
			print max[a], max[b], total[a], total[b], n[a], n[b], bystander[a], bystander[b]
			exit !(max[b] > 0 && max[a] > 1.5 * max[b] && n[a] <= 10 && n[b] >= 2 * 20000 / 1024 &&
			       total[b] < 1.1 * total[a] && total[a] < 1.1 * total[b])
		}' summary.csv
	# The first lines of a guest's life are there, too, and what it ran on.
	[ "$(awk -F, '$2 == "boot" && $5 == "kernel_to_init" { print $8 }' results.csv | tr '\n' ' ')" = "1 1 " ]
	grep -q '^clock,virtual' cells/baseline/keygcbench/boot1/env.csv
	grep -q '^accelerator,tcg' cells/baseline/keygcbench/boot1/env.csv
	[[ $output == *"virtual time, accelerator tcg, 1 boot"* ]]
	[[ $output == *"pass "*"cells/baseline/keygcbench/boot1: console 0 bad"* ]]
}

@test "the same again on a busy machine, one cell at a time: the same to the byte" {
	stress-ng --quiet --cpu 2 --timeout 0 3>&- &
	stress=$!
	run -0 "$root/run-all.sh" -k baseline -k keys-gc-chunks --virtual-time -j 1 -o "$runs/again" "${small[@]}" \
		-- --keys 20000 --release clear
	kill "$stress"
	stress=
	for file in results.csv summary.csv cells/{baseline,keys-gc-chunks}/keygcbench/boot1/{results,hist,events,env}.csv; do
		[ -s "$runs/first/$file" ]
		cmp "$runs/first/$file" "$runs/again/$file"
	done
}

@test "a kernel that is replaced while a run is at work gives it no figures" {
	cp -r "$runs/first" mine
	# As if another kernel had lain there when the run began.
	sed -i '2s/^......../00000000/' mine/kernels/baseline
	run -1 "$root/scripts/run-cell" mine cells/baseline/keygcbench/boot1 baseline keygcbench 1
	[[ $output == *"kernel baseline was replaced since the run began"* ]]
	[ "$(cat mine/cells/baseline/keygcbench/boot1/status)" = incomplete ]
	run -2 "$root/run-all.sh" --resume mine
	[[ $output == *"--resume: kernel baseline is not the one that "*"mine was begun with"* ]]
}

@test "the block for a commit message, with the published ratios" {
	run -0 "$root/scripts/compare" --format commit "$runs/first"
	[[ $output == *"Results without the change (keygcbench, kernel baseline"* ]]
	[[ $output == *"Results with the change (keygcbench, kernel keys-gc-chunks"* ]]
	[[ $output =~ unused:\ +min=[0-9.]+\ avg=[0-9.]+\ max=[0-9.]+\ var=[0-9.]+ ]]
	# 28667.645 / 853.1 and 11859.097 / 13.991, from the published table.
	[[ $output =~ unused\ +33\.6\ +[0-9.]+\ +847\.6\ +[0-9.]+ ]]
	# Chunks cost a little CPU time for each key, and one boot is enough to see it.
	run -1 "$root/scripts/compare" "$runs/first"
	[[ $output == *"gc_work max"*better*"gc_cpu avg"*worse*"verdict: regression"* ]]
	run -2 "$root/scripts/compare" --format commit "$runs"
	# Half a run would be believed all the same.
	cp -r "$runs/first" half
	echo splat >half/cells/keys-gc-chunks/keygcbench/boot1/status
	run -2 "$root/scripts/compare" --format commit half
	[[ $output == *"keys-gc-chunks/keygcbench/boot1: splat"* ]]
	[[ $output != *"Results with"* ]]
}

@test "boots take turns between kernels; the estimate comes from earlier runs" {
	run -0 "$root/run-all.sh" -k baseline -k keys-gc-chunks -b keygcbench --virtual-time -n 2 --dry-run
	[ "${lines[1]}" = "cells/baseline/keygcbench/boot1,baseline,keygcbench,1" ]
	[ "${lines[2]}" = "cells/keys-gc-chunks/keygcbench/boot1,keys-gc-chunks,keygcbench,1" ]
	[ "${lines[3]}" = "cells/baseline/keygcbench/boot2,baseline,keygcbench,2" ]
	[[ ${lines[5]} == "cells: 4, "*" at once, guests in virtual time; "* ]]
	run -0 "$bin/report/benchcmp" estimate "$runs" "quick keygcbench:unused" virtual 4 2
	[[ $output == "time unknown, no earlier run of the same"* ]]
	run -0 "$bin/report/benchcmp" estimate "$runs" "quick keygcbench:unused -- --keys 20000 --release clear" virtual 4 2
	[[ $output =~ ^about\ [0-9]+\ s,\ judging\ by\ [24]\ cells\ of\ earlier\ runs$ ]]
}

@test "what is no kernel is told apart, before anything runs" {
	run -2 "$root/run-all.sh" -k nosuch -o out
	[[ $output == *"nosuch: neither a variant"*"nor a file"* ]]
	run -2 "$root/run-all.sh" -k /dev/null -o out
	[[ $output == *"/dev/null"* ]]
	head -c 100000 "$root/build/kernels/baseline/bzImage" >truncated
	run -2 "$root/run-all.sh" -k ./truncated -o out
	[[ $output == *truncated* ]]
	run -2 "$root/run-all.sh" -k ./nosuch -o out
	[[ $output == *"no such file"* ]]
	mkdir folder
	run -2 "$root/run-all.sh" -k ./folder -o out
	[[ $output == *"no kernel source tree"* ]]
	run -2 "$root/run-all.sh" -k baseline -k baseline -o out
	[[ $output == *"named twice"* ]]
	[ ! -e out ]
}

@test "a bzImage by its path: named after file and hash" {
	cp "$root/build/kernels/baseline/bzImage" "my kernel, new"
	run -0 "$root/run-all.sh" -k "./my kernel, new" --virtual-time -o out "${small[@]}" -- --keys 300
	name=my_kernel__new-$(sha256sum <"my kernel, new" | cut -c 1-8)
	[ "$(cat "out/cells/$name/keygcbench/boot1/status")" = pass ]
	grep -q "^$name,keygcbench,1,unused,gc_work," out/results.csv
}

@test "a guest whose kernel panics: said at once, exit 1" {
	# With just too little memory for its initramfs a kernel finds no init.
	for memory in 44M 42M 40M 39M 38M 37M 36M 35M 34M 33M 32M 30M; do
		rm -rf out
		run timeout 120 "$root/run-all.sh" -k baseline --virtual-time -o out "${small[@]}" -m $memory -- --keys 300
		[ "$(cat out/cells/baseline/keygcbench/boot1/status)" != panic ] || break
	done
	[ "$status" -eq 1 ]
	[[ $output == *"keygcbench on baseline, boot 1: panic"*"Kernel panic"* ]]
}

@test "killed with -9 in the middle of six cells: resumed, nothing done twice, the same results" {
	run -0 "$root/run-all.sh" -k baseline -k keys-gc-chunks --virtual-time -n 3 -o whole "${small[@]}" -- --keys 500
	"$root/run-all.sh" -k baseline -k keys-gc-chunks --virtual-time -n 3 -o killed "${small[@]}" -- --keys 500 \
		>log 2>&1 3>&- &
	pid=$!
	within 180 cells_passed killed 2
	kill -KILL "$pid"
	wait "$pid" || true
	mapfile -t finished < <(grep -l pass killed/cells/*/*/*/status)
	[ "${#finished[@]}" -ge 2 ]
	stat -c '%n %y' "${finished[@]}" >before
	run -0 "$root/run-all.sh" --resume killed
	stat -c '%n %y' "${finished[@]}" | cmp - before
	run ! pgrep -f "qemu-system.*$PWD/killed"
	cmp whole/results.csv killed/results.csv
}
