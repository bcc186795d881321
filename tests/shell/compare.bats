#!/usr/bin/env bats
# Comparing as a user does: bare files and run folders, verdicts, refusals, exit statuses.

# shellcheck disable=SC2154 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup() {
	load common
	export STALLBENCH_BIN=$bin
	cd "$BATS_TEST_TMPDIR" || return
}

compare() { run "$root/scripts/compare" "$@"; }

header=kernel,bench,boot,phase,metric,unit,better,n,errors,min,avg,max,var,p50,p90,p99,p999

# A bare file of one metric: a boot per value, with hardly any spread within it.
figures() {	# figures FILE UNIT BETTER VALUE...
	local file=$1 unit=$2 better=$3 boot=0 value
	shift 3
	echo "$header" >"$file"
	for value; do
		boot=$((boot + 1))
		echo "k,b,$boot,p,m,$unit,$better,1000,0,$value,$value,$value,0.001,,,," >>"$file"
	done
}

# A run folder with the facts KEY=VALUE in its environment, and one gating metric, avg.
folder() {	# folder DIR CLOCK VALUE... [-- KEY=VALUE...]
	local dir=$1 clock=$2 boot=0 kernel=k values=() fact
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do values+=("$1"); shift; done
	mkdir -p "$dir"
	echo cell,kernel,bench,boot >"$dir/plan.csv"
	echo "$header" >"$dir/results.csv"
	printf 'bench,metric,unit,better,primary,plot,wobble_percent,help\nb,m,us,lower,avg,,%s,x\n' \
		"${wobble-}" >"$dir/metrics.csv"
	printf 'key,value\nprofile,quick\nend_finished,x\n' >"$dir/run.csv"
	for value in "${values[@]}"; do
		boot=$((boot + 1))
		mkdir -p "$dir/cells/$kernel/b/boot$boot"
		echo pass >"$dir/cells/$kernel/b/boot$boot/status"
		echo "cells/$kernel/b/boot$boot,$kernel,b,$boot" >>"$dir/plan.csv"
		echo "$kernel,b,$boot,p,m,us,lower,1000,0,1,$value,$value,0.1,,,," >>"$dir/results.csv"
	done
	printf 'key,value\nclock,%s\nhz,250\naccelerator,tcg\n' "$clock" >"$dir/cells/$kernel/b/boot1/env.csv"
	for fact in "${@:2}"; do
		sed -i "/^${fact%%=*},/d" "$dir/cells/$kernel/b/boot1/env.csv" "$dir/run.csv"
		printf '%s,%s\n' "${fact%%=*}" "${fact#*=}" >>"$dir/cells/$kernel/b/boot1/env.csv"
	done
}

@test "boots that overlap are no difference, however little each varies within" {
	figures a us lower 100 115 92 108 85
	figures b us lower 112 95 118 101 99
	compare a b
	[ "$status" -eq 0 ]
	[[ $output == *"would show"* ]]
	[[ $output == *"warning: a bare results.csv"* ]]
}

@test "boots that part are: 20 % worse, and the other way 17 % better" {
	figures a us lower 100 101 99 100 100
	figures b us lower 120 121 119 120 120
	compare a b
	[ "$status" -eq 1 ]
	[[ $output == *"+20.00 %"*worse* ]]
	compare b a
	[ "$status" -eq 0 ]
	[[ $output == *better* ]]
	# A rate that grows is better: the row says so, not its name.
	figures a 1/s higher 100 101 99 100 100
	figures b 1/s higher 120 121 119 120 120
	compare a b
	[ "$status" -eq 0 ]
	[[ $output == *better* ]]
	# Neither: it changed, and nothing gates.
	figures a count none 100 101 99 100 100
	figures b count none 120 121 119 120 120
	compare a b
	[ "$status" -eq 2 ]
	[[ $output == *changed* ]]
}

@test "one boot each in real time cannot say, and says how many boots could" {
	figures a us lower 100
	figures b us lower 200
	compare a b
	[ "$status" -eq 3 ]
	[[ $output == *"cannot say (5 boots would)"* ]]
}

@test "a base of 0 is a regression without a percentage; nan is an error with file and line" {
	figures a us lower 0 0 0 0 0
	figures b us lower 5 5 5 5 5
	compare a b
	[ "$status" -eq 1 ]
	[[ $output == *"n/a"*worse* ]]
	sed -i '3s/,5,5,5,/,5,nan,5,/' b
	compare a b
	[ "$status" -eq 2 ]
	[[ $output == *"b: line 3: 'nan' in column avg is not a number"* ]]
}

@test "10 us and 10000 ns are equal; us and counts are refused" {
	figures a us lower 10 11 9 10 10.5
	figures b ns lower 10000 11000 9000 10000 10500
	compare a b
	[ "$status" -eq 0 ]
	[[ $output == *"+0.00 %"* ]]
	figures b count lower 10 11 9 10 10.5
	compare a b
	[ "$status" -eq 4 ]
	[[ $output == *"unit us in the base, count in the new"* ]]
}

@test "byte order mark, CRLF, quotes with commas, no last newline: as the plain twin" {
	figures a us lower 100 101 99 100 100
	figures b us lower 120 121 119 120 120
	sed -i 's/^k,/6.1-patched,/' b
	compare --format csv a b
	plain=$output
	sed -i 's/^6.1-patched,/"6.1,patched",/; s/$/\r/' b
	printf '\xef\xbb\xbf%s' "$(cat b)" >c
	compare --format csv a c
	[ "$status" -eq 1 ]
	[ "$output" = "${plain//6.1-patched/\"6.1,patched\"}" ]
}

@test "rows that one side lacks are named and fail, or are allowed" {
	figures a us lower 100 101 99 100 100
	cp a b
	sed 's/,p,m,/,q,m,/' a | tail -n +2 >>b
	compare a b
	[ "$status" -eq 2 ]
	[[ $output == *"b q m only in the new"* ]]
	compare --allow-missing a b
	[ "$status" -eq 0 ]
}

@test "a maximum that gates does so with one sample a boot, in either run" {
	folder a real 100 101 99 100 100
	folder b real 120 121 119 120 120
	sed -i 's/,avg,,/,max,,/' a/metrics.csv b/metrics.csv
	sed -i 's/,1000,0,/,1,0,/' a/results.csv b/results.csv
	compare a b
	[ "$status" -eq 1 ]
	[[ $output == *"p m max, us"*worse*"of 1 figures that gate: 1 worse"* ]]
	# Several samples in the new run alone: then its maximum says something of its own.
	sed -i 's/,max,,/,avg,,/' a/metrics.csv
	sed -i '2,$s/,1,0,/,5,0,/' b/results.csv
	compare a b
	[ "$status" -eq 1 ]
	[[ $output == *"for information"*"p m max, us"* ]]
}

@test "no samples on one side: missing where the metric gates, else only said" {
	folder a real 100 101 99 100 100
	cp -r a b
	sed -n 's/,p,m,/,p,count,/p' b/results.csv >>a/results.csv
	cp a/results.csv b
	sed -i '/,count,/s/,1000,.*/,0,0,,,,,,,,/' b/results.csv
	compare a b
	[ "$status" -eq 0 ]
	[[ $output == *"other differences"*"b p count has no samples in the new"* ]]
	sed -i '/,m,/s/,1000,.*/,0,0,,,,,,,,/' a/results.csv
	compare a b
	[ "$status" -eq 2 ]
	[[ $output == *"missing rows or cells:"*"b p m has no samples in the base"* ]]
}

@test "boots that came to no figures are named and fail, however good the others are" {
	folder a real 100 101 99 100 100
	folder b real 100 101 99 100 100
	# A kernel that panics in three boots of five must not pass for one without a regression.
	for boot in 1 3 4; do echo panic >"b/cells/k/b/boot$boot/status"; done
	rm b/cells/k/b/boot5/status
	sed -i '/^k,b,[1345],/d' b/results.csv
	compare a b
	[ "$status" -eq 2 ]
	[[ $output == *"kernel k in the new: 3 cells with status 'panic', first cells/k/b/boot1"* ]]
	[[ $output == *"kernel k in the new: 1 cell with status 'not run', first cells/k/b/boot5"* ]]
	[[ $output == *"verdict: rows or cells are missing, so nothing is decided"* ]]
	compare --allow-missing a b
	[ "$status" -ne 2 ]
	[[ $output == *"3 cells with status 'panic'"* ]]
	# One that has nothing to do here is no loss.
	folder c real 100 101 99 100 100
	echo skip >c/cells/k/b/boot5/status
	sed -i '/^k,b,5,/d' c/results.csv
	compare a c
	[ "$status" -ne 2 ]
}

@test "virtual time: exact, against the spread of perturbed boots" {
	folder a virtual 1000 1001 999
	folder b virtual 1010 1011 1009
	compare a b
	[ "$status" -eq 3 ]
	[[ $output == *"cannot say (7 boots would)"* ]]
	wobble=0.7 folder a virtual 1000 1001 999
	compare a b
	[ "$status" -eq 1 ]
	[[ $output == *"+1.00 %"*worse* ]]
	folder b virtual 1003 1004 1002
	compare a b
	[ "$status" -eq 0 ]
	compare a a
	[ "$status" -eq 0 ]
	[[ $output == *"identical to the byte"* ]]
	# One boot each: what perturbation is known to do decides, or nothing does.
	folder c virtual 1000
	folder d virtual 1050
	compare c d
	[ "$status" -eq 3 ]
	wobble=0.7 folder c virtual 1000
	compare c d
	[ "$status" -eq 1 ]
	wobble=6 folder c virtual 1000
	compare c d
	[ "$status" -eq 0 ]
}

@test "what was measured otherwise is refused, with a word to override" {
	folder a real 100 101 99 100 100
	for fact in clock=virtual hz=1000 accelerator=kvm profile=full; do
		rm -rf b
		folder b real 100 101 99 100 100 -- "$fact"
		compare a b
		[ "$status" -eq 4 ]
		[[ $output == *"${fact%%=*}: "*" in the base, ${fact#*=} in the new"* ]]
		compare --allow "${fact%%=*}" a b
		[ "$status" -eq 0 ]
	done
	# Every file a guest was given has a part in the instructions that are counted.
	for key in sha256_bundle_efi sha256_kvmvapic.bin; do
		rm -rf a b
		folder a virtual 100 100 -- "$key=1"
		folder b virtual 100 100 -- "$key=2"
		compare a b
		[ "$status" -eq 4 ]
		[[ $output == *"$key: 1 in the base, 2 in the new"* ]]
	done
	# In real time that is a remark, and the kernels' own files differ between any two kernels.
	rm -rf a b
	folder a real 100 101 99 100 100 -- sha256_bundle_efi=1 sha256_kernel=1
	folder b real 100 101 99 100 100 -- sha256_bundle_efi=2 sha256_kernel=2
	compare a b
	[ "$status" -eq 0 ]
	[[ $output == *"sha256_bundle_efi: 1 in the base"* ]] && [[ $output != *sha256_kernel* ]]
}

@test "a fact that one side does not know is a remark, no refusal" {
	folder a real 100 101 99 100 100
	folder b real 100 101 99 100 100 -- cpu_model=unknown preemption=unknown
	printf 'cpu_model,x\npreemption,full\n' >>a/cells/k/b/boot1/env.csv
	compare a b
	[ "$status" -eq 0 ]
	[[ $output == *"other differences"*"cpu_model: x in the base, unknown in the new"* ]]
}

@test "one boot against itself in real time is the same, whatever ranks could say" {
	folder a real 100
	compare a a
	[ "$status" -eq 0 ]
	[[ $output == *"identical to the byte"*"verdict: no regression"*"1 same (1 identical"* ]]
	compare --format json a a
	[[ $output == *'"verdict": "same"'* ]]
}

@test "an interrupted run, a folder that is none, options that are none" {
	folder a real 100 101
	sed -i s/end_finished/end_interrupted/ a/run.csv
	compare a a
	[ "$status" -eq 2 ]
	[[ $output == *"interrupted"*"--resume"* ]]
	mkdir empty
	compare empty empty
	[ "$status" -eq 2 ]
	[[ $output == *"not a run folder"* ]]
	compare nosuch nosuch
	[ "$status" -eq 2 ]
	compare --format xml a a
	[ "$status" -eq 2 ]
	compare --threshold x a a
	[ "$status" -eq 2 ]
	compare
	[ "$status" -eq 2 ]
	folder one real 1 2
	compare one
	[ "$status" -eq 2 ]
	[[ $output == *"only one kernel"* ]]
}

@test "markdown, csv and json hold the same figures" {
	figures a us lower 100 101 99 100 100
	figures b us lower 120 121 119 120 120
	compare --format markdown a b
	[ "$status" -eq 1 ]
	[[ $output == *"| p m avg, us | 100 | 120 | +20.00 % |"* ]]
	compare --format csv a b
	[ "$status" -eq 1 ]
	[[ ${lines[1]} == k,k,b,p,m,avg,us,yes,5,5,100,120,20* ]]
	compare --format json a b
	[ "$status" -eq 1 ]
	[[ $output == *'"verdict": "worse"'* ]]
	[[ $output == *'"change": 0.2'* ]]
	run -2 bash -c 'exec "$@" >/dev/full' - "$root/scripts/compare" --format csv a b
	[[ $output == *"writing the comparison: No space left on device"* ]]
}

@test "files that are none are refused: truncated, binary, one endless line" {
	figures a us lower 100 101 99 100 100
	head -c $(($(stat -c %s a) - 20)) a >"cut"
	compare a cut
	[ "$status" -eq 2 ]
	[[ $output == *cut:* ]]
	head -c 100000 /dev/urandom >binary
	compare a binary
	[ "$status" -eq 2 ]
	[[ $output == *binary:* ]]
	truncate -s 1G endless
	compare a endless
	[ "$status" -eq 2 ]
	# A line of 2 MB, and no end of it.
	head -c 2000000 /dev/zero | tr '\0' x >endless
	truncate -s 1200000000 endless
	compare a endless
	[ "$status" -eq 2 ]
	[[ $output == *"1 MiB"* ]]
	rm endless
}

@test "a million rows on each side: in seconds, in less than 200 MiB" {
	[[ $bin != */sanitize ]] || skip "ASan maps far more than it uses"
	for side in a b; do
		awk -v header="$header" 'BEGIN {
			print header
			for (phase = 1; phase <= 1000; phase++)
				for (metric = 1; metric <= 10; metric++)
					for (boot = 1; boot <= 100; boot++)
						print "k,b," boot ",p" phase ",m" metric ",us,lower,1000,0,1," \
							100 + (boot * 7919 + metric) % 13 ",200,1.5,90,150,180,"
		}' >"$side"
	done
	run -0 bash -c 'ulimit -v 400000; exec /usr/bin/env time -f "%e s %M KiB" "$@"' - \
		"$bin/report/benchcmp" compare --format csv a b
	[ "$(grep -c ^k, <<<"$output")" -ge 20000 ]
	read -r seconds _ kib _ <<<"${lines[-1]}"
	echo "$seconds s, $kib KiB"
	[ "$kib" -lt $((200 * 1024)) ]
}

@test "a figure over many runs, and the first run in which it changed" {
	day=0
	for base in 100 101 120 121; do
		day=$((day + 1))
		folder run$day real "$base" $((base + 1)) $((base - 1)) "$base.5" "$base.1" -- "start=2026-01-0$day"
	done
	folder late real 99 100 -- start=2026-02-01
	sed -i s/end_finished/end_interrupted/ late/run.csv
	run -1 "$root/scripts/compare" --trend b:p:m:avg --plot out.svg --against run3 run1 late run2 run4
	echo "$output"
	[[ $output == *2026-01-01*first*2026-01-02*same*2026-01-03*worse*run3*2026-01-04*same* ]]
	[[ $output == *"late: this run was interrupted"* ]]
	grep -q '<svg' out.svg
	run -2 "$root/scripts/compare" --trend b:p:m:median --against run1
	run -2 "$root/scripts/compare" --trend b:p:nosuch:avg --against run1
	[[ $output == *"none of the runs has that figure"* ]]
	run -2 "$root/scripts/compare" --trend b:p:m:avg
}

@test "what cannot be written is no success: a full disk, a pipe that nobody reads" {
	folder a real 100 101 99 100 100
	for cell in a/cells/*/*/*; do
		echo pass >"$cell/status"
		cp a/results.csv "$cell"
	done
	printf 'key,value\narch,x\n' >a/run.csv
	printf '%s\n' kernel,bench,phase,metric,statistic,unit,parameter,value,boots,figure,published \
		k,b,p,total,avg,us,m.a,1,1,10, >a/sweep.csv
	while read -r status words; do
		# shellcheck disable=SC2086 # words they are
		run "-$status" bash -c 'exec "$@" >/dev/full' - "$bin/report/benchcmp" $words
		[[ $output == *writing*"No space left on device"* ]]
	done <<-EOF
		2 compare a a
		2 trend b:p:m:avg k a
		1 sweeps a
		1 estimate . quick real 1 1
		2 bound a b p m avg 1000
	EOF
	{ sleep 0.3; "$bin/report/benchcmp" trend b:p:m:avg k a || echo $? >status; } 2>said | :
	[ "$(<status)" -eq 2 ]
	grep "writing the figures: Broken pipe" said
}

@test "a signal ends what computes" {
	mkdir a
	mkfifo a/plan.csv
	run -143 timeout --preserve-status 1 "$bin/report/benchcmp" boots a "$root/results/reference"
}

@test "an estimate comes from runs that finished and can be read, in a folder of any name" {
	for run in finished interrupted resumed damaged; do
		mkdir -p "res[1]/$run"
		printf '%s\n' key,value work,quick clock,real end_interrupted,x end_finished,x >"res[1]/$run/run.csv"
		printf '%s\n' cell,step,seconds c1,a,10 c2,a,20 >"res[1]/$run/timing.csv"
	done
	sed -i /end_finished/d "res[1]/interrupted/run.csv"
	echo c3,a,long >>"res[1]/damaged/timing.csv"
	touch "res[1]/no-run"
	run -0 --separate-stderr "$bin/report/benchcmp" estimate "res[1]" quick real 2 1
	[ "$output" = "about 30 s, judging by 4 cells of earlier runs" ]
	[[ $stderr == *"'long' is not a number of seconds"*"res[1]/damaged is left out"* ]]
	run -0 "$bin/report/benchcmp" estimate nosuch quick real 2 1
	[[ $output == "time unknown"* ]]
}

@test "a figure over runs of one boot in virtual time: the declared wobble decides, or nothing" {
	trend() { run "$root/scripts/compare" --trend b:p:m:avg --against "$@"; }
	folder one virtual 1000 -- start=2026-01-01
	folder two virtual 1050 -- start=2026-01-02
	trend one two
	[ "$status" -eq 3 ]
	[[ $output == *2026-01-02*"cannot say"* ]]
	trend one
	[ "$status" -eq 0 ]
	wobble=0.7 folder two virtual 1050 -- start=2026-01-02
	trend one two
	[ "$status" -eq 1 ]
	[[ $output == *2026-01-02*worse* ]]
	wobble=6 folder two virtual 1050 -- start=2026-01-02
	trend one two
	[ "$status" -eq 0 ]
	[[ $output == *2026-01-02*same* ]]
}

@test "runs that are none, or have no results, are left out of a figure over many" {
	folder one real 100 101 99 100 100 -- start=2026-01-01
	folder two real 100 101 99 100 100 -- start=2026-01-02
	folder unfinished real 100 -- start=2026-01-03
	rm unfinished/results.csv
	mkdir none
	run -0 "$root/scripts/compare" --trend b:p:m:avg --against one none unfinished nosuch two
	[[ $output == *"none is not a run folder"* ]]
	[[ $output == *"unfinished holds no results.csv"* ]]
	[[ $output == *2026-01-01*first*2026-01-02*same* ]]
}
