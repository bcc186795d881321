# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154,SC2317 # sweep sets bin, root and work, and calls the functions by their names
# What the sweep does under faults. A case NAME has NAME_faults, its CALL:ERROR pairs; NAME_run, its
# command; NAME_result, which prints what has to be as without a fault if the command says that all
# went well (standard output is in the file stdout). NAME_failing are the statuses of a failure
# (1 2 77), NAME_left prints what was left behind.

# shellcheck source=../shell/guest.bash
. "$root/tests/shell/guest.bash"

reading="fopen:EMFILE fopen:EACCES read:EIO read:EINTR read:short close:EIO malloc:ENOMEM"
writing="write:ENOSPC write:EDQUOT write:EINTR write:EIO write:short"

# ---- benchcmp: the tables of a run, and comparing two ----

results_header=kernel,bench,boot,phase,metric,unit,better,n,errors,min,avg,max,var,p50,p90,p99,p999

# A run of two kernels with three boots each, as run-all.sh would leave it.
make_run() {	# make_run DIR [BENCH PHASE METRIC]
	local bench=${2:-b} phase=${3:-p} metric=${4:-m} kernel boot cell value name
	mkdir -p "$1/phases" "$1/kernels"
	printf '%s\n' key,value command_line,x profile,quick clock,virtual start,2026-01-01T00:00:00Z end_finished,x >"$1/run.csv"
	printf '%s\n' bench,metric,unit,better,primary,plot,wobble_percent,help \
		"$bench,$metric,us,lower,avg max,distribution,0.5,x" >"$1/metrics.csv"
	echo cell,kernel,bench,boot >"$1/plan.csv"
	for kernel in base new; do
		for boot in 1 2 3; do
			cell=$1/cells/$kernel/$bench/boot$boot value=10${boot}0 name=$kernel,$bench,$boot,$phase,$metric
			mkdir -p "$cell"
			echo "cells/$kernel/$bench/boot$boot,$kernel,$bench,$boot" >>"$1/plan.csv"
			echo pass >"$cell/status"
			printf '%s\n' key,value clock,virtual hz,250 accelerator,tcg >"$cell/env.csv"
			printf '%s\n' "$results_header" "$name,us,lower,3,0,1,$value,3000,4,$value,,," >"$cell/results.csv"
			printf '%s\n' kernel,bench,boot,phase,metric,unit,low,high,count "$name,us,1000,1010,3" >"$cell/hist.csv"
			printf '%s\n' kernel,bench,boot,phase,metric,start_us,length "$name,5,$value" >"$cell/events.csv"
			printf '%s\n' kind,pattern,line_number,text 'bad,BUG: ,7,BUG: x' >"$cell/console.csv"
		done
	done
}

need_run() {
	[ -d "$work/run" ] || make_run "$work/run"
}

summary_faults="$reading $writing"
summary_run() {
	need_run
	rm -f run/{results,summary}.csv run/tables.txt
	"$bin/report/benchcmp" summary run "$root/results/reference"
}
summary_result() { cat run/results.csv run/summary.csv run/tables.txt; }

plotdata_faults="$reading $writing mkdir:ENOSPC"
plotdata_run() {
	need_run
	rm -rf run/plots
	"$bin/report/benchcmp" plotdata run "$root/results/reference"
}
plotdata_result() { cat run/plots/*.dat; }

html_faults="$reading $writing"
html_run() {
	need_run
	[ -s run/tables.txt ] || "$bin/report/benchcmp" summary run "$root/results/reference"
	rm -f run/report.html
	"$bin/report/benchcmp" html run "$root/results/reference"
}
html_result() { cat run/report.html; }

# 1 is a regression, 3 and 4 are verdicts, too.
compare_failing=2 json_failing=2

compare_faults="$reading $writing"
compare_run() {
	need_run
	[ -s run/results.csv ] || "$bin/report/benchcmp" summary run "$root/results/reference"
	"$bin/report/benchcmp" compare run
}
compare_result() { cat stdout; }

json_faults="$writing malloc:ENOMEM"
json_run() {
	need_run
	[ -s run/results.csv ] || "$bin/report/benchcmp" summary run "$root/results/reference"
	"$bin/report/benchcmp" compare --format json run
}
json_result() { cat stdout; }

# ---- guestrun, with a stub in QEMU's place that sends what a guest would ----

make_guest() {
	stream "$work/stream" 'seq 500 >results.csv; echo out'
	cat >"$work/qemu" <<-END
		#!/bin/sh
		[ "\$1" != hang ] || exec sleep 1000
		echo "[ 1.0] workqueue: x hogged CPU for >10000us 4 times" >>"$work/out/console.log"
		cat "$work/stream" >>"$work/out/channel.raw"
	END
	chmod +x "$work/qemu"
}

guestrun_faults="$reading $writing open:EMFILE openat:EMFILE openat:ENOSPC fork:EAGAIN waitpid:EINTR poll:EINTR
	poll:ENOMEM rename:ENOSPC renameat:EIO pidfd_open:EMFILE sigaction:EINVAL fstatat:EIO clock_gettime:step
	clock_gettime:back"
guestrun_run() {
	[ -x "$work/qemu" ] || make_guest
	rm -rf out
	mkdir out
	"$bin/guest/guestrun" --out "$work/out" --name k --boot 1 --boot-limit 10 --timeout 10 --silence 10 \
		--patterns "$root/guest/console-patterns" --benign "$root/guest/console-benign" \
		--fact a=b --hash "sha256_stream=$work/stream" "$work/qemu" "$work"
}
guestrun_result() { (cd out && cat status verdict.txt results.csv stdout.log console.csv guest-env.csv boot.csv); }

# ---- the benchmarks ----

# Of rows of measurements: which there are, and whether they hold samples. A call that failed is an
# error of its row and no sample, so that the two together stay as they are.
rows() {	# rows FILE
	awk -F, '{ print $1, $2, $3, $4, $5, $6, $7, (NR == 1 || $8 + $9 > 0), NF; if (/nan|inf/) print "no number" }' "$1"
	awk -F, '$5 == "latency" || $5 ~ /^slot_/ { print $4, $5, $8 + $9 }' "$1"
}

# A file that may not be read is none that it needs: no fopen with EACCES.
dentrybench_faults="fopen:EMFILE read:EIO read:EINTR read:short close:EIO malloc:ENOMEM $writing open:EMFILE open:ENOSPC openat:EMFILE openat:ENOMEM mkdir:ENOSPC fork:EAGAIN
	pthread_create:EAGAIN fstatat:ENOMEM unlink:EIO rmdir:EIO pread:EIO clock_nanosleep:EINTR
	sigaction:EINVAL clock_gettime:step clock_gettime:back"
dentrybench_run() {
	mkdir -p "$work/disk"
	rm -f out.csv
	"$bin/dentrybench/dentrybench" --quiet --dir "$work/disk" --count 1000 --files 10 --misses 10 --threads 2 \
		--phase positive_lookup,negative_lookup,negative_create,rmdir --csv out.csv
}
dentrybench_result() { rows out.csv; }
dentrybench_left() { find "$work/disk" -name 'dentrybench-*'; }

uring_faults="io_uring_queue_init:ENOMEM io_uring_queue_init:ENOSYS malloc:ENOMEM mmap:ENOMEM open:EMFILE"
uring_run() {
	mkdir -p "$work/disk"
	rm -f out.csv
	"$bin/dentrybench/dentrybench" --quiet --dir "$work/disk" --count 1000 --files 10 --misses 10 --engine uring \
		--phase positive_lookup,negative_create --csv out.csv
}
uring_result() { rows out.csv; }
uring_left() { dentrybench_left; }

srcubench_faults="ioctl:ENOMEM ioctl:EINTR ioctl:EIO ioctl:ENOSPC $writing open:EMFILE mmap:ENOMEM malloc:ENOMEM
	close:EIO clock_gettime:step clock_gettime:back"
srcubench_run() {
	rm -f out.csv
	"$bin/srcubench/srcubench" --quiet --ops 5 --slots 2 --phase churn,flags --csv out.csv
}
srcubench_result() { rows out.csv; }

# Long enough that a reader gets a turn.
readers_faults="pthread_create:EAGAIN clock_nanosleep:EINTR malloc:ENOMEM mmap:ENOMEM"
readers_run() {
	rm -f out.csv
	"$bin/srcubench/srcubench" --quiet --ops 3000 --readers 2 --phase flags --csv out.csv
}
readers_result() { rows out.csv; }

# It takes the machine's sysctls and seconds: few faults, and only when it is named.
keygcbench_faults="add_key:EDQUOT add_key:ENOMEM add_key:EINTR keyctl_clear:EINTR write:ENOSPC write:EIO
	pwrite:EIO pwrite:short pread:EIO fork:EAGAIN pipe2:EMFILE open:EMFILE pthread_create:EAGAIN malloc:ENOMEM flock:EINTR
	waitpid:EINTR clock_gettime:step clock_gettime:back"
keygcbench_run() {
	local try status
	for try in {1..60}; do
		rm -f out.csv
		status=0
		"$bin/keygcbench/keygcbench" --quiet --keys 100 --keyrings 4 --phase expired --expiry 1 --timeout 5 \
			--csv out.csv 2>"messages$try" || status=$?
		# Not of the fault.
		grep -q 'another benchmark is running' "messages$try" || break
		sleep 1
	done
	cat "messages$try" >&2
	rm -f messages*
	return "$status"
}
# Where the kernel cannot be traced, what needs it is left out, and that is said: then only the other rows
# are to be as usual.
keygcbench_result() {
	if grep -q 'gc_queue left out: ' stderr; then
		rows out.csv | sed -E '/ gc_[a-z]+ /d'
		rows usual.csv | grep -E ' gc_[a-z]+ '
	else
		cp -n out.csv usual.csv
		rows out.csv
	fi | sort
}
