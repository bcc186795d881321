#!/usr/bin/env bats
# A few of the faults that make reliability counts, everywhere; and that wrong ones are found.

# shellcheck disable=SC2154 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup() {
	load common
	export STALLBENCH_BIN=$bin
	cd "$BATS_TEST_TMPDIR" || return
	# Nothing of memory under ASan, which has an allocator of its own.
	memory=malloc:ENOMEM
	[ "$bin" = "$root" ] || memory=read:EIO
}

# No fault was wrong, and there were at least LEAST.
sweep() {	# sweep LEAST ARGUMENT...
	local least=$1
	shift
	run -0 --separate-stderr "$root/tests/faults/sweep" --most 4 "$@"
	[ -z "$stderr" ]
	[ "$(awk -F, 'NR > 1 { sum += $4 } END { print sum + 0 }' <<<"$output")" -ge "$least" ]
}

@test "benchcmp: tables, pictures' data, comparing" {
	sweep 40 --faults "fopen:EMFILE,read:EINTR,read:short,write:ENOSPC,$memory" summary plotdata html compare
}

@test "guestrun, with a stub in QEMU's place" {
	sweep 20 --faults "fopen:EACCES,read:EINTR,write:EDQUOT,write:short,fork:EAGAIN,poll:EINTR,renameat:EIO,$memory" guestrun
}

@test "dentrybench" {
	sweep 15 --faults "openat:EMFILE,mkdir:ENOSPC,pthread_create:EAGAIN,write:ENOSPC,clock_gettime:step,$memory" dentrybench
}

@test "srcubench" {
	(exec 3<>/dev/kvm) 2>/dev/null || skip "no /dev/kvm that may be used"
	sweep 10 --faults "ioctl:EINTR,mmap:ENOMEM,close:EIO,$memory" srcubench
}

@test "SIGINT at two random moments of a run, from a seed" {
	run -0 --separate-stderr "$root/tests/faults/interrupt" --seed "${SEED:-7}" --times 2
	[[ $output == run-all,Ctrl-C,SIGINT,2,*,0 ]]
}

@test "a disk that fills up" {
	need_root
	run --separate-stderr "$root/tests/faults/full-disk" --step 24
	[ "$status" -ne 77 ] || skip "no loop mounts here"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	# It was full, and in the end it was not.
	awk -F, '$5 > 0 && $6 == 3 && !$7 { ok++ } END { exit ok != 2 }' <<<"$output"
}

@test "a program that hides an error is found" {
	mkdir -p fake/report
	cp -r "$bin/guest" "$bin/dentrybench" fake/ 2>/dev/null || true
	printf '#!/bin/sh\n"%s/report/benchcmp" "$@" 2>/dev/null || exit 0\n' "$bin" >fake/report/benchcmp
	chmod +x fake/report/benchcmp
	STALLBENCH_BIN=$PWD/fake run -1 --separate-stderr "$root/tests/faults/sweep" --most 1 --faults write:ENOSPC summary
	[[ $output == *"summary,write,ENOSPC,1,0,0,1"* ]]
	[[ $stderr == *"no error, and another result"* ]]
}
