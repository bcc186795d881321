#!/usr/bin/env bats
# What the kernels do with expedited SRCU grace periods, by srcubench in guests in virtual time.
# The sweep and the kernel's own benchmark are for make check-full (STALLBENCH_FULL=1).

# shellcheck disable=SC2016,SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup_file() {
	load common
	# bats has no skip in here; setup says it for each test.
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || return 0
	"$root/scripts/build-kernel" baseline srcu-block-first srcu-block-second srcu-start-nopreempt \
		${STALLBENCH_FULL:+srcu-rcuscale} >&2
	make -s -C "$root" STATIC=1 SANITIZE= guest-programs guest-tests >&2
	"$root/scripts/make-initramfs" "$BATS_FILE_TMPDIR/initramfs"
	# What several tests compare with.
	at stock baseline --
	at limit100 baseline --append srcutree.srcu_max_nodelay_phase=100 --
}

setup() {
	load common
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
	cd "$BATS_FILE_TMPDIR"
}

boot() {	# boot OUT KERNEL [OPTION]... -- COMMAND...
	local out=$1 kernel=$2 options=()
	shift 2
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	"$root/scripts/boot-kernel" --virtual-time --initramfs "$BATS_FILE_TMPDIR/initramfs" \
		--out "$BATS_FILE_TMPDIR/$out" ${options[@]+"${options[@]}"} "$kernel" "$@" >&2
}

# Phase efi_replay of srcubench, left in OUT/results.csv.
at() {	# at OUT KERNEL [OPTION]... -- [ARGUMENT]...
	local before=()
	while [ "$1" != -- ]; do before+=("$1"); shift; done
	shift
	boot "${before[@]}" -- srcubench --quiet --phase efi_replay --csv results.csv --env env.csv "$@"
}

# True if the grace periods of A took at least TIMES as long as those of B.
slower() {	# slower A TIMES B
	awk -v a="$(field "$1/results.csv" efi_replay grace_period avg)" -v times="$2" \
		-v b="$(field "$3/results.csv" efi_replay grace_period avg)" \
		'BEGIN { printf "%s us, %s us\n", a, b; exit !(b > 0 && a >= times * b) }'
}

@test "two boots are the same to the byte, all phases without an error" {
	for i in 1 2; do
		boot same$i baseline -- srcubench --quiet --ops 100 --csv results.csv --hist hist.csv \
			--events events.csv --env env.csv 3>&- &
	done
	wait
	for file in results.csv hist.csv events.csv env.csv; do
		cmp same1/$file same2/$file
	done
	[ "$(field same1/results.csv move slot_move n)" -eq 100 ]
	[ "$(awk -F, 'NR > 1 && $9 != 0' same1/results.csv | wc -l)" -eq 0 ]
}

@test "fewer polls, longer grace periods: a limit of 100 instead of 1000" {
	grep -qx parameter.srcutree.srcu_max_nodelay_phase,100 limit100/env.csv
	grep -qx parameter.srcutree.srcu_max_nodelay_phase,1000 stock/env.csv
	slower limit100 2.5 stock
}

@test "the behaviours that were repaired: at least 30 times as long" {
	at first srcu-block-first -- 3>&- &
	at second srcu-block-second --
	wait
	slower first 30 stock
	slower second 30 stock
}

@test "a SCHED_FIFO caller is not held up, whatever the limit" {
	at fifo100 baseline --append srcutree.srcu_max_nodelay_phase=100 -- --sched fifo 3>&- &
	at fifo baseline -- --sched fifo
	wait
	slower fifo 0.99 fifo100
	slower fifo100 0.99 fifo
	slower stock 1.2 fifo
}

@test "nor is one that cannot be preempted while it starts the grace period" {
	at nopreempt srcu-start-nopreempt --append srcutree.srcu_max_nodelay_phase=100 --
	slower limit100 5 nopreempt
}

@test "the trace: whoever waits long was preempted in srcu_gp_start_if_needed()" {
	boot trace baseline --append srcutree.srcu_max_nodelay_phase=100 \
		--add "$root/tests/guest/srcu-trace" -- srcu-trace 200
	cat trace/stdout.log
	grep -qE '^ +[1-9][0-9]* +_raw_spin_unlock_irqrestore < srcu_gp_start_if_needed < __synchronize_srcu <' trace/stdout.log
	# Every grace period with a sleep has a preempted caller, and it is most of them that do not.
	run ! grep -q '^caller asleep, worker slept' trace/stdout.log
	slow=$(sed -nE 's/^caller preempted, worker slept +([0-9]+) .*/\1/p' trace/stdout.log)
	fast=$(sed -nE 's/^caller asleep +([0-9]+) .*/\1/p' trace/stdout.log)
	[ "$slow" -gt 0 ]
	[ "$fast" -gt "$slow" ]
}

@test "grace periods per operation, counted by the function tracer" {
	boot count baseline -- sh -c '
		t=/sys/kernel/tracing
		echo synchronize_srcu_expedited >$t/set_ftrace_filter
		echo function >$t/current_tracer
		for phase in churn move flags efi_replay; do
			for ops in 10 30; do
				: >$t/trace
				srcubench --quiet --phase $phase --ops $ops --slots 3
				echo $phase $ops $(grep -c "synchronize_srcu_expedited <-" $t/trace)
			done
		done >counts'
	cat count/counts
	[ "$(awk '{ n[$1, $2] = $3; p[$1] = 1 } END {
		for (phase in p) print phase, (n[phase, 30] - n[phase, 10]) / 20 }' count/counts | sort | tr '\n' ' ')" = \
		"churn 3 efi_replay 3 flags 1 move 2 " ]
}

@test "readers do something in a guest, too" {
	# Long enough that each reader gets the one CPU for a tick.
	boot readers baseline -- sh -c '
		srcubench --quiet --phase flags --ops 500 --readers 1 --csv vcpu.csv &&
		srcubench --quiet --phase flags --ops 500 --readers 1 --reader-kind madvise --csv madvise.csv'
	for kind in vcpu madvise; do
		[ "$(field readers/$kind.csv flags reader_ops min)" -gt 0 ]
	done
}

@test "full: the eight published limits" {
	[ -n "${STALLBENCH_FULL-}" ] || skip "part of make check-full"
	last=''
	for limit in 100 150 200 250 500 1000 10000 1000000; do
		at sweep$limit baseline --append srcutree.srcu_max_nodelay_phase=$limit -- --ops 2000
		# From 1000 on nothing changes any more, last that each step helps.
		case $limit in
		100) ;;
		10000 | 1000000) slower sweep$limit 0.95 sweep1000; slower sweep1000 0.95 sweep$limit ;;
		*) slower "sweep$last" 1.15 sweep$limit ;;
		esac
		last=$limit
	done
}

@test "full: the wait by itself, by the kernel's own benchmark" {
	[ -n "${STALLBENCH_FULL-}" ] || skip "part of make check-full"
	m=$root/build/kernels/srcu-rcuscale/modules
	boot rcuscale srcu-rcuscale --add "$m/torture.ko" --add "$m/rcuscale.ko" \
		--add "$root/build/static/tests/guest/schedother" --add "$root/tests/guest/rcuscale-reading" \
		-- rcuscale-reading fifo
	cat rcuscale/stdout.log
	# The tracer costs a microsecond; the derived figure has the slots' own work in it.
	awk '/^srcubench/ { a = $(NF - 1) } /^function_graph/ { b = $3 } /^rcuscale/ { c = $3 }
		END { exit !(a > b && b >= c && b < 1.2 * c) }' rcuscale/stdout.log
}
