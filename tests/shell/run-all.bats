#!/usr/bin/env bats
# The main job on the running kernel, and what it does when things go wrong.

# shellcheck disable=SC2016,SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup() {
	load common
	cd "$BATS_TEST_TMPDIR"
	export NO_INSTALL=1
}

# A benchmark that does as told by files: tests/helpers/stub-bench.
stub_bench() {
	mkdir -p stub/keygcbench stub/report
	ln -s "$bin/report/benchcmp" stub/report/benchcmp
	cp "$root/tests/helpers/stub-bench" stub/keygcbench/keygcbench
	export STALLBENCH_BIN=$PWD/stub
}

@test "the running kernel: table, files and pictures, in a folder with spaces and commas" {
	need_root
	before=$(machine_state)
	run -0 "$root/run-all.sh" -o "out, of the way" -b keygcbench -- --keys 2000
	assert_machine_state "$before"
	[[ $output == *"gc_work in ms, n = "* ]]
	[[ $output =~ unused:\ +min=[0-9.]+\ avg=[0-9.]+\ max=[0-9.]+\ var=[0-9.]+ ]]
	[[ $output == *"expired: "*"combined: "* ]]
	[[ $output == *"results: "*"/out, of the way"* ]]
	cd "out, of the way"
	for file in run.csv plan.csv metrics.csv results.csv summary.csv tables.txt timing.csv joblog \
		plots/{distribution,timeline,latency}.keygcbench.{svg,png}; do
		[ -s "$file" ]
	done
	[ "$(cat cells/host/keygcbench/boot1/status)" = pass ]
	cmp results.csv cells/host/keygcbench/boot1/results.csv
	# Rows of one boot are their own pool.
	[ "$(field summary.csv unused gc_work max)" = "$(field results.csv unused gc_work max)" ]
	[ "$(field summary.csv unused gc_work p50)" = "$(field results.csv unused gc_work p50)" ]
}

@test "phases and a scaling run: one table and one picture against N" {
	need_root
	run -0 "$root/run-all.sh" -o out -b keygcbench:unused -- --keys 300,600
	[[ $output == *"unused against N"*"gc_work max, us"*"bystander max, us"*"300"*"600"* ]]
	[ -s out/plots/scaling.keygcbench.svg ]
	run ! grep -q expired out/results.csv
}

@test "lists, plan and version of what would run" {
	run -0 "$root/run-all.sh" --list
	[[ $output == *"keygcbench"*"unused"*"kernels:"*"host"* ]]
	run -0 "$root/run-all.sh" -b keygcbench --dry-run -n 2
	[ "${lines[0]}" = "cell,kernel,bench,boot" ]
	[ "${lines[1]}" = "cells/host/keygcbench/boot1,host,keygcbench,1" ]
	[ "${lines[2]}" = "cells/host/keygcbench/boot2,host,keygcbench,2" ]
	[ ! -e out ]
}

@test "wrong usage is told before anything runs" {
	stub_bench
	while read -r -a arguments; do
		run "$root/run-all.sh" -o out "${arguments[@]}"
		[ "$status" -eq 2 ]
		[ -n "$output" ]
		[ ! -e out ]
	done <<-EOF
		--nosuch
		-k nosuch
		-b nosuch
		-b keygcbench:one -b keygcbench:one
		--virtual-time --cpus 2
		--virtual-time --accel kvm
		-p nosuch
		-n 0
		-n x
		-n
		--resume nosuch
	EOF
	unset STALLBENCH_BIN
	run -2 "$root/run-all.sh" -o out -b keygcbench:nosuch
	[[ $output == *"no phase 'nosuch'"* ]]
	run -2 "$root/run-all.sh" -o out -- --keys 0
	[[ $output == *"--keys: '0' is not a whole number"* ]]
	[ ! -e out ]
}

@test "a folder that cannot be written is found before the first cell" {
	stub_bench
	run -2 "$root/run-all.sh" -b keygcbench -o /proc/nosuch
	[[ $output == *"cannot write to /proc/nosuch"* ]]
	[ ! -e stub/keygcbench/runs ]
}

@test "a second run into a folder is refused, and touches nothing" {
	stub_bench
	run -0 "$root/run-all.sh" -b keygcbench -o out
	before=$(find out -type f -exec cksum {} + | sort)
	run -2 "$root/run-all.sh" -b keygcbench -o out
	[[ $output == *"already holds a run"* ]]
	[ "$(find out -type f -exec cksum {} + | sort)" = "$before" ]
}

@test "a folder that holds something else is refused, and touched by nobody" {
	stub_bench
	mkdir mine
	echo text >mine/notes
	run -2 "$root/run-all.sh" -b keygcbench -o mine
	[[ $output == *"mine is not empty: name another folder"* ]]
	[ "$(ls -A mine)" = notes ]
	[ ! -e stub/keygcbench/runs ]
	# An empty one is as good as none, and so is what came to no plan: nothing of it is taken over.
	mkdir -p empty/phases
	touch empty/lock empty/arguments
	echo expired >empty/phases/keygcbench
	run -0 "$root/run-all.sh" -b keygcbench -o empty
	[ -s empty/tables.txt ]
	[ ! -e empty/phases/keygcbench ]
}

@test "an exported CDPATH leads nowhere" {
	stub_bench
	ln -s "$root" tree
	mkdir -p elsewhere/tree/scripts
	CDPATH=$PWD/elsewhere run -0 tree/run-all.sh -b keygcbench -o out --no-plots
	[ -s out/tables.txt ]
}

@test "two runs that begin at once in one folder: one of them is refused" {
	stub_bench
	local codes
	codes=$(for _ in 1 2; do
		("$root/run-all.sh" -b keygcbench -o out --no-plots >"log$BASHPID" 2>&1; echo "$?") &
	done; wait)
	[ "$(sort <<<"$codes" | tr '\n' ' ')" = "0 2 " ]
	grep -q "already holds a run" log*
	grep -qx 'end_finished,.*' out/run.csv
}

@test "boots are pooled, with the spread between them" {
	stub_bench
	run -0 "$root/run-all.sh" -b keygcbench -o out -n 3
	[ "$(field out/summary.csv one gc_work boots)" -eq 3 ]
	[ "$(field out/summary.csv one gc_work n)" -eq 6 ]
	[ "$(field out/summary.csv one gc_work avg)" = 2500 ]
	[ "$(field out/summary.csv one gc_work boot_avg_min)" = 1500 ]
	[ "$(field out/summary.csv one gc_work boot_avg_max)" = 3500 ]
	# Variance within and between: 4 + (1000^2 + 0 + 1000^2) / 3.
	[[ $(field out/summary.csv one gc_work var) == 666670.666666666* ]]
}

@test "a failed cell: exit 1, its words shown, the others' tables still there" {
	stub_bench
	touch stub/keygcbench/fail2
	run -1 "$root/run-all.sh" -b keygcbench -o out -n 3
	[[ $output == *"boot 2: fail"*"keygcbench: no luck"* ]]
	[ "$(cat out/cells/host/keygcbench/boot2/status)" = fail ]
	[ "$(field out/summary.csv one gc_work boots)" -eq 2 ]
	[[ $output == *"boot2, left out of the tables"* ]]
	run -2 "$root/scripts/compare" --format commit out
	[[ $output == *"boot2: fail"* ]] || [[ $output == *"two kernels"* ]]
}

@test "a benchmark that says it passed and left nothing: fail" {
	stub_bench
	touch stub/keygcbench/empty
	run -1 "$root/run-all.sh" -b keygcbench -o out
	[ "$(cat out/cells/host/keygcbench/boot1/status)" = fail ]
	[[ $output == *"keygcbench: no results"* ]]
}

@test "everything skipped: exit 77" {
	stub_bench
	touch stub/keygcbench/skip
	run -77 "$root/run-all.sh" -b keygcbench -o out
	[ "$(cat out/cells/host/keygcbench/boot1/status)" = skip ]
}

# Ctrl-C reaches the whole process group; kill reaches run-all.sh alone.
runs_begun() { [ "$(grep -cs . stub/keygcbench/runs)" -eq "$1" ]; }

interrupt_and_resume() {	# interrupt_and_resume kill|group
	stub_bench
	touch stub/keygcbench/hang2
	# A background job of a script ignores SIGINT, and a shell cannot trap what it ignores.
	env --default-signal=INT setsid "$root/run-all.sh" -b keygcbench -o out -n 3 >log 2>&1 3>&- &
	pid=$!
	within 60 runs_begun 2
	if [ "$1" = group ]; then kill -INT -- -"$pid"; else kill -TERM "$pid"; fi
	got=0
	wait "$pid" || got=$?
	[ "$got" -eq 130 ]
	grep -q "interrupted: ./run-all.sh --resume" log
	grep -q '^end_interrupted,' out/run.csv
	[ "$(cat out/cells/host/keygcbench/boot1/status)" = pass ]
	[ "$(cat out/cells/host/keygcbench/boot2/status)" = interrupted ]
	[ ! -e out/cells/host/keygcbench/boot3 ]
	run ! pgrep -f "sleep 61.007"
	rm stub/keygcbench/hang2
	run -0 "$root/run-all.sh" --resume out
	# The finished cell was not run again.
	[ "$(sort stub/keygcbench/runs | tr '\n' ' ')" = "1 2 2 3 " ]
	run -0 "$root/run-all.sh" -b keygcbench -o whole -n 3
	cmp out/results.csv whole/results.csv
}

@test "Ctrl-C: exit 130, no process left, resumable" {
	interrupt_and_resume group
}

@test "SIGTERM to run-all alone: the same" {
	interrupt_and_resume kill
}

@test "a benchmark that takes its time to clean up gets it" {
	stub_bench
	touch stub/keygcbench/slow1
	"$root/run-all.sh" -b keygcbench -o out >log 2>&1 3>&- &
	pid=$!
	within 60 runs_begun 1
	kill -TERM "$pid"
	got=0
	wait "$pid" || got=$?
	[ "$got" -eq 130 ]
	[ "$(cat out/cells/host/keygcbench/boot1/status)" = interrupted ]
	pkill -f "sleep 61.007" || true
}

@test "kill -9 in the middle: what was not finished runs again on --resume" {
	stub_bench
	touch stub/keygcbench/hang2
	setsid "$root/run-all.sh" -b keygcbench -o out -n 2 >log 2>&1 3>&- &
	pid=$!
	within 60 grep -qs incomplete out/cells/host/keygcbench/boot2/status
	kill -KILL -- -"$pid"
	wait "$pid" || true
	# The cell may have had the time to say so itself.
	[[ $(cat out/cells/host/keygcbench/boot2/status) == @(incomplete|interrupted) ]]
	rm stub/keygcbench/hang2
	run -0 "$root/run-all.sh" --resume out
	[ "$(field out/summary.csv one gc_work boots)" -eq 2 ]
}

@test "gnuplot that fails, or says it succeeded and wrote nothing: tables and CSV are there" {
	need_root
	mkdir fake
	printf '#!/bin/sh\nexit 0\n' >fake/gnuplot
	chmod +x fake/gnuplot
	PATH=$PWD/fake:$PATH run -0 "$root/run-all.sh" -o out -b keygcbench:unused -- --keys 300
	[[ $output == *"warning: gnuplot did not draw"* ]]
	[[ $output == *"pictures are missing; tables and CSV are complete"* ]]
	[ -s out/tables.txt ]
	printf '#!/bin/sh\necho "no terminal" >&2\nexit 1\n' >fake/gnuplot
	PATH=$PWD/fake:$PATH run -1 "$root/scripts/plot" out
	[[ $output == *"no terminal"* ]]
}

@test "names with underscores stay as they are in the pictures" {
	need_root
	run -0 "$root/run-all.sh" -o out -b keygcbench:unused -- --keys 300
	grep -q 'gc_work' out/plots/distribution.keygcbench.svg
}

# Everything on PATH except PROGRAM...
path_without() {	# path_without PROGRAM...: prints a folder
	local dir=$PWD/without program
	mkdir -p "$dir"
	ln -sf /usr/bin/* /usr/sbin/* /bin/* "$dir/" 2>/dev/null || true
	for program; do rm -f "$dir/$program"; done
	printf '%s\n' "$dir"
}

@test "no gnuplot at all: a warning, tables and CSV are there" {
	stub_bench
	PATH=$(path_without gnuplot) run -0 "$root/run-all.sh" -b keygcbench -o out
	[[ $output == *"gnuplot-nox"* ]]
	[ -s out/tables.txt ] && [ -s out/summary.csv ]
	[ ! -e out/plots ] || [ -z "$(find out/plots -name '*.svg')" ]
}

@test "whatever awk and date there are: the same figures, none cut at 2^31 or by an exponent" {
	stub_bench
	sed -i 's/,1000,\${boot}500,3000,4,1000,,,/,3000000001,3000000002.5,1234567890123,4e18,3000000002,,,/; s/4e18/4000000000000000001/' \
		stub/keygcbench/keygcbench
	grep -q 1234567890123 stub/keygcbench/keygcbench
	run -0 "$root/run-all.sh" -b keygcbench -o usual --no-plots
	[ "$(field usual/summary.csv one gc_work max)" = 1234567890123 ]
	mkdir fake
	ln -s "$(command -v busybox)" fake/date
	for awk in mawk busybox gawk original-awk; do
		command -v "$awk" >/dev/null || continue
		rm -rf fake/awk out
		ln -s "$(command -v "$awk")" fake/awk
		PATH=$PWD/fake:$PATH run -0 "$root/run-all.sh" -b keygcbench -o out --no-plots
		cmp usual/results.csv out/results.csv
		cmp usual/summary.csv out/summary.csv
		cmp usual/tables.txt out/tables.txt
		run ! grep -r '%N' out --include='*.csv'
	done
	# Busybox' date prints it as it is.
	run ! grep -nE 'date .*%N' "$root/run-all.sh" "$root"/scripts/*
}

@test "as sudo: what the run made belongs to who called it" {
	need_root
	stub_bench
	mkdir tree
	cp -r "$root"/{run-all.sh,scripts,kernels,report,guest,Makefile} tree/
	mkdir -p tree/build tree/results
	cp -r "$root/results/reference" tree/results/
	SUDO_UID=12345 SUDO_GID=12346 run -0 tree/run-all.sh -b keygcbench -o out --no-plots
	[ -z "$(find out tree/build tree/results ! -uid 12345)" ]
	[ -z "$(find out ! -gid 12346)" ]
	SUDO_UID=12345 SUDO_GID=12346 run -0 tree/run-all.sh -b keygcbench --no-plots
	[ -z "$(find tree/results ! -uid 12345)" ]
	# What it refuses to touch stays whose it was.
	mkdir mine
	echo text >mine/notes
	SUDO_UID=12345 SUDO_GID=12346 run -2 tree/run-all.sh -b keygcbench -o mine --no-plots
	[ -z "$(find mine -uid 12345)" ]
}

@test "a full disk and a closed pipe: not zero, and said" {
	stub_bench
	run bash -c '"$1" --list >/dev/full' - "$root/run-all.sh"
	[ "$status" -ne 0 ]
	[[ $output == *"No space left on device"* ]]
	run bash -c '"$1" -b keygcbench -o out --no-plots >/dev/full' - "$root/run-all.sh"
	[ "$status" -ne 0 ]
	[[ $output == *"No space left on device"* ]]
	run bash -c '{ "$1" -b keygcbench -o piped --no-plots; echo "status=$?" >&2; } | true' - "$root/run-all.sh"
	[[ $output == *"status="[1-9]* ]]
}

@test "benchcmp refuses what is no run folder, and broken files by name and line" {
	run -2 "$bin/report/benchcmp" summary . .
	[[ $output == *"plan.csv is missing"* ]]
	run -2 "$bin/report/benchcmp" nosuch . .
	run -2 "$bin/report/benchcmp" summary
	stub_bench
	run -0 "$root/run-all.sh" -b keygcbench -o out
	sed -i 's/,3000,/,nan,/' out/cells/host/keygcbench/boot1/results.csv
	run -2 "$bin/report/benchcmp" summary out .
	[[ $output == *"line 2: 'nan' in column max is not a number"*"cells/host/keygcbench/boot1"* ]]
}
