#!/usr/bin/env bats
# srcubench by itself, as a user calls it, on this machine's /dev/kvm.

# shellcheck disable=SC2016,SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup() {
	load common
	srcubench=$bin/srcubench/srcubench
	deny=$bin/tests/tools/deny
	[ -x "$deny" ] || deny=$root/build/host/tests/tools/deny
	cd "$BATS_TEST_TMPDIR"
}

# A test that fails half-way must not leave a run behind for the next one.
teardown() {
	[ -z "${pid-}" ] || kill -KILL "$pid" 2>/dev/null || true
}

# linux/kvm.h
KVM_CREATE_VM=0xae01 KVM_SET_USER_MEMORY_REGION=0x4020ae46

need_kvm() {
	# The check of srcubench itself would hide a mistake in it.
	(exec 3<>/dev/kvm) 2>/dev/null || skip "no /dev/kvm that may be used"
}

@test "rows of all phases and metrics, as many samples as operations, no errors" {
	need_kvm
	run -0 "$srcubench" --ops 60 --slots 3 --csv out.csv --hist hist.csv --events events.csv --env env.csv
	for row in churn:slot_create churn:slot_delete efi_replay:slot_create efi_replay:slot_delete \
		move:slot_move flags:slot_flags; do
		[ "$(field out.csv "${row%:*}" "${row#*:}" n)" -eq 60 ]
		[ "$(field out.csv "${row%:*}" "${row#*:}" errors)" -eq 0 ]
	done
	for phase in churn move flags efi_replay; do
		for metric in total grace_period caller_cpu; do
			[ "$(field out.csv $phase $metric n)" -eq 1 ]
			[ "$(field out.csv $phase $metric errors)" -eq 0 ]
		done
		for metric in create_vm first_vcpu; do
			[ "$(field out.csv $phase $metric n)" -eq 5 ]
			[ "$(field out.csv $phase $metric errors)" -eq 0 ]
		done
	done
	# No rows but these: a phase measures what it says, and nothing else.
	[ "$(wc -l <out.csv)" -eq $((1 + 6 + 4 * 5)) ]
	[[ $output == *"total in ms"*"churn:"*"min="*"efi_replay:"* ]]
	run ! grep -qi nan out.csv hist.csv
}

@test "derived metrics are what they say" {
	need_kvm
	run -0 "$srcubench" --ops 50 --quiet --csv out.csv
	for row in churn:3 move:2 flags:1 efi_replay:3; do
		awk -v total="$(field out.csv "${row%:*}" total avg)" -v one="$(field out.csv "${row%:*}" grace_period avg)" \
			-v per="${row#*:}" 'BEGIN { d = total / (50 * per) / one - 1; exit d > 1e-9 || d < -1e-9 }'
	done
	# The samples lie within the total, one after the other.
	awk -v total="$(field out.csv churn total avg)" -v c="$(field out.csv churn slot_create avg)" \
		-v d="$(field out.csv churn slot_delete avg)" 'BEGIN { exit 50 * (c + d) > total }'
}

@test "what the figures depend on is recorded" {
	need_kvm
	run -0 "$srcubench" --ops 5 --quiet --env env.csv
	grep -q '^hz,' env.csv
	grep -q '^preemption,' env.csv
	for parameter in srcu_max_nodelay srcu_max_nodelay_phase srcu_retry_check_delay; do
		value=$(cat /sys/module/srcutree/parameters/$parameter 2>/dev/null || echo unknown)
		grep -qx "parameter.srcutree.$parameter,$value" env.csv
	done
}

@test "a scaling run labels its phases" {
	need_kvm
	run -0 "$srcubench" --ops 5,10 --phase move --quiet --csv out.csv
	[ "$(field out.csv move/5 slot_move n)" -eq 5 ]
	[ "$(field out.csv move/10 slot_move n)" -eq 10 ]
}

@test "readers are counted, each of them" {
	need_kvm
	for kind in vcpu madvise; do
		run -0 "$srcubench" --ops 3000 --readers 2 --reader-kind $kind --phase churn --quiet --csv out.csv
		[ "$(field out.csv churn reader_ops n)" -eq 2 ]
		[ "$(field out.csv churn reader_ops errors)" -eq 0 ]
		[ "$(field out.csv churn reader_ops min)" -gt 0 ]
	done
}

@test "more slots than there are: both numbers" {
	need_kvm
	run -2 "$srcubench" --slots 999999 --ops 1
	[[ $output == *"--slots 999,999 does not fit: a machine has "[1-9]*" here"* ]]
	most=$(sed -E 's/.*a machine has ([0-9,]+) here.*/\1/; s/,//g' <<<"$output")
	run -2 "$srcubench" --slots "$most" --ops 1
	run -0 "$srcubench" --slots $((most - 1)) --ops 1 --phase move --slot-size 4096
}

@test "what makes no sense is refused" {
	for bad in '--slot-size 5000' '--slot-size 0' '--slots 0' '--ops 0' '--readers 65' '--reader-kind x' \
		'--sched x' '--cpu x' '--cpu 1023' '--phase nonesuch'; do
		# shellcheck disable=SC2086 # two words
		run -2 "$srcubench" --ops 1 $bad
		[[ $output == srcubench:* ]]
	done
}

@test "pinned, and SCHED_FIFO" {
	# A change takes microseconds here: enough of them for several ticks, so that the
	# reader gets a turn on a busy machine, too.
	need_kvm
	need_root
	run -0 "$srcubench" --ops 100000 --cpu 0 --sched fifo --readers 1 --phase flags --quiet --csv out.csv
	[ "$(field out.csv flags slot_flags n)" -eq 100000 ]
}

@test "SCHED_FIFO without the right to it: skipped" {
	need_kvm
	need_root
	run -77 setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice "$srcubench" --ops 1 --sched fifo
	[[ $output == *"skipped: --sched fifo: "*CAP_SYS_NICE* ]]
}

# -- Skipping, with three different reasons -----------------------------------------------------

# In a mount namespace whose /dev is a tmpfs, made by the shell commands SETUP.
with_dev() {	# with_dev SETUP COMMAND...
	local setup=$1
	shift
	unshare -m sh -c 'mount -t tmpfs none /dev && eval "$1" && shift && exec "$@"' sh "$setup" "$@"
}

need_namespace() {
	need_root
	unshare -m true || skip "no mount namespace of our own here"
}

@test "no /dev/kvm: skipped" {
	need_namespace
	run -77 with_dev : "$srcubench" --csv "$PWD/out.csv"
	[[ $output == *"skipped: no /dev/kvm ("* ]]
	[ "$(wc -l <out.csv)" -eq 1 ]
}

@test "/dev/kvm not permitted: skipped" {
	need_namespace
	# bats' folders are closed to others, so the program goes where the device is.
	run -77 with_dev "mknod -m 600 /dev/kvm c 10 232 && cp '$srcubench' /dev/srcubench" \
		setpriv --reuid 12345 --regid 12345 --clear-groups /dev/srcubench
	[[ $output == *"skipped: /dev/kvm: Permission denied (not in its group?)"* ]]
}

@test "/dev/kvm with no driver behind it: skipped" {
	need_namespace
	# A minor number that nothing has.
	run -77 with_dev "mknod /dev/kvm c 10 254" "$srcubench"
	[[ $output == *"skipped: /dev/kvm: "*"no driver"* ]]
}

@test "/dev/kvm that can make no machine: skipped" {
	need_kvm
	run -77 "$deny" -i 0xae01 95 "$srcubench" --csv out.csv
	[[ $output == *"skipped: KVM_CREATE_VM: Operation not supported"* ]]
	[ "$(wc -l <out.csv)" -eq 1 ]
}

# -- Errors are no samples ----------------------------------------------------------------------

@test "KVM_CREATE_VM that is interrupted is tried again, not for ever" {
	need_kvm
	run -0 faulty FAULT_CALL=ioctl FAULT_REQUEST=$KVM_CREATE_VM FAULT_TIMES=3 FAULT_ERROR=EINTR -- \
		"$srcubench" --ops 5 --phase flags --quiet --csv out.csv
	[ "$(field out.csv flags create_vm n)" -eq 5 ]
	run -77 faulty FAULT_CALL=ioctl FAULT_REQUEST=$KVM_CREATE_VM FAULT_TIMES=0 FAULT_ERROR=EINTR -- \
		"$srcubench" --ops 5
	[[ $output == *"KVM_CREATE_VM: Interrupted system call"* ]]
}

@test "a change that fails is counted, not timed, and ends the phase" {
	need_kvm
	# The vCPUs' programs take five calls, so it is the tenth operation of phase churn that fails.
	run -1 faulty FAULT_CALL=ioctl FAULT_REQUEST=$KVM_SET_USER_MEMORY_REGION FAULT_NTH=25 FAULT_TIMES=0 \
		FAULT_ERROR=ENOMEM -- "$srcubench" --ops 50 --phase churn --quiet --csv out.csv
	[[ $output == *"KVM_SET_USER_MEMORY_REGION, deleting slot 1 of 540672 bytes: Cannot allocate memory"* ]]
	[ "$(field out.csv churn slot_create n)" -eq 10 ]
	[ "$(field out.csv churn slot_delete n)" -eq 9 ]
	[ "$(field out.csv churn slot_delete errors)" -eq 1 ]
	[ "$(field out.csv churn total n)" -eq 0 ]
	[ "$(field out.csv churn total errors)" -eq 1 ]
	[ -z "$(field out.csv churn total avg)" ]
}

@test "SIGINT: 130, and no total of what was not finished" {
	need_kvm
	"$srcubench" --quiet --ops 100000000 --phase efi_replay --readers 1 --csv out.csv 3>&- &
	pid=$!
	# Long enough for some changes, on a busy machine, too.
	sleep 5
	kill -INT "$pid"
	got=0
	wait "$pid" || got=$?
	[ "$got" -eq 130 ]
	[ "$(field out.csv efi_replay slot_create n)" -gt 0 ]
	[ -z "$(field out.csv efi_replay total n)" ]
}
