#!/usr/bin/env bats
# keygcbench by itself, as a user calls it.

# shellcheck disable=SC2016,SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup() {
	load common
	keygcbench=$bin/keygcbench/keygcbench
	cd "$BATS_TEST_TMPDIR"
}

# A test that fails half-way must not leave a run behind for the next one.
teardown() {
	[ -z "${pid-}" ] || kill -KILL "$pid" 2>/dev/null || true
}

@test "rows of all phases and metrics, no errors, nothing left behind" {
	need_root
	before=$(machine_state)
	run -0 "$keygcbench" --keys 3000 --csv out.csv --hist hist.csv --events events.csv --env env.csv
	assert_machine_state "$before"
	[ "$(head -n 1 out.csv)" = "kernel,bench,boot,phase,metric,unit,better,n,errors,min,avg,max,var,p50,p90,p99,p999" ]
	for phase in unused expired combined; do
		for metric in gc_work gc_cpu gc_passes gc_queue drain bystander add_key unlink; do
			[ "$(field out.csv $phase $metric n)" -gt 0 ]
			[ "$(field out.csv $phase $metric errors)" -eq 0 ]
		done
	done
	[ "$(field out.csv combined gc_work n)" -eq $(($(field out.csv unused gc_work n) + $(field out.csv expired gc_work n))) ]
	# Counts of the histogram are those of the rows.
	n=$(awk -F, '$4 == "unused" && $5 == "gc_work" { sum += $9 } END { print sum }' hist.csv)
	[ "$n" -eq "$(field out.csv unused gc_work n)" ]
	grep -q '^kernel_release,' env.csv
	grep -q '^hz,' env.csv
	[[ $output == *"unused:"*"min="*"expired:"*"combined:"* ]]
	run ! grep -qi nan out.csv hist.csv
}

@test "the measuring does not schedule the collector: unused takes at most 10 executions" {
	need_root
	[ ! -e /proc/sys/kernel/keys/gc_chunk ] || skip "a collector in chunks"
	for keys in 500 20000; do
		run -0 "$keygcbench" --quiet --keys $keys --phase unused --csv out.csv
		[ "$(field out.csv unused gc_passes max)" -le 10 ]
	done
}

@test "every way to let keys go" {
	need_root
	before=$(machine_state)
	for release in ring clear unlink revoke invalidate; do
		run -0 "$keygcbench" --quiet --keys 500 --keyrings 7 --phase unused --release $release --csv out.csv
		[ "$(field out.csv unused drain n)" -eq 1 ]
		[ "$(field out.csv unused drain errors)" -eq 0 ]
	done
	assert_machine_state "$before"
}

@test "a scaling run labels its phases" {
	need_root
	run -0 "$keygcbench" --quiet --keys 200,400 --phase unused --csv out.csv
	[ "$(field out.csv unused/200 gc_work n)" -gt 0 ]
	[ "$(field out.csv unused/400 gc_work n)" -gt 0 ]
}

@test "a seeded run collects everything, too" {
	need_root
	run -0 "$keygcbench" --quiet --keys 500 --keyrings 20 --phase unused --seed 3 --csv out.csv
	[ "$(field out.csv unused drain errors)" -eq 0 ]
}

@test "limits are raised for what does not fit, and put back" {
	need_root
	before=$(machine_state)
	run -0 "$keygcbench" --quiet --keys 1000 --payload 30000 --phase unused --csv out.csv
	[ "$(field out.csv unused add_key errors)" -eq 0 ]
	assert_machine_state "$before"
}

@test "more than the kernel can count is refused with both numbers" {
	need_root
	before=$(machine_state)
	run "$keygcbench" --keys 99999999 --payload 32767
	[ "$status" -eq 2 ]
	[[ $output == *"--keys 99,999,999 does not fit"*"bytes"*"keys fit"* ]]
	assert_machine_state "$before"
}

# Signs of a run under way, each from what others can see of it: keys of the users that runs take
# (keygcbench/owner.h); that they get fewer; the sysctl of phase expired.
keys_there() {
	sed 's/^ *//' /proc/key-users | awk -F '[: /]+' '$1 >= 1900000000 { n += $5 } END { print n + 0 }'
}
adding() { [ "$(keys_there)" -ge $((keys_before + 1000)) ]; }
letting_go() {
	local now
	now=$(keys_there)
	[ "$now" -lt "$most" ] || most=$now
	[ "$most" -ge $((keys_before + 1000)) ] && [ "$now" -lt "$most" ]
}
waiting() { grep -qx 0 /proc/sys/kernel/keys/gc_delay && adding; }

# Interrupts a run as soon as SIGN shows that it is under way; the machine must be as before.
interrupted() {	# interrupted SIGNAL STATUS SIGN ARGUMENTS...
	local before most=0 signal=$1 expected=$2 sign=$3 got=0
	shift 3
	keys_before=$(keys_there)
	before=$(machine_state)
	"$keygcbench" --quiet "$@" --csv out.csv 3>&- &
	pid=$!
	within 60 "$sign"
	kill -0 "$pid"
	kill -"$signal" "$pid"
	wait "$pid" || got=$?
	[ "$got" -eq "$expected" ]
	assert_machine_state "$before"
}

@test "SIGINT while adding keys" {
	need_root
	interrupted INT 130 adding --keys 5000000 --phase unused
}

@test "SIGINT while keys are let go one by one" {
	need_root
	interrupted INT 130 letting_go --keys 400000 --phase unused --release unlink
}

@test "SIGINT in phase expired, waiting for the second" {
	need_root
	interrupted INT 130 waiting --keys 1000 --phase expired --expiry 60
}

@test "SIGTERM" {
	need_root
	interrupted TERM 143 waiting --keys 1000 --phase expired --expiry 60
}

# A run that waits for a minute, and has already changed a sysctl.
start_and_wait() {
	"$keygcbench" --quiet --keys 1000 --phase expired --expiry 60 3>&- &
	pid=$!
	within 60 grep -qx 0 /proc/sys/kernel/keys/gc_delay
}

@test "SIGKILL: keys and sysctls go back all the same, and the next run clears the trace instance" {
	need_root
	before=$(machine_state)
	start_and_wait
	[ "$(cat /proc/sys/kernel/keys/gc_delay)" = 0 ]
	kill -KILL "$pid"
	wait "$pid" || true
	run -0 "$keygcbench" --quiet --keys 100 --phase unused
	assert_machine_state "$before"
}

@test "two at once: the second is refused" {
	need_root
	start_and_wait
	run "$keygcbench" --quiet --keys 100
	kill "$pid"
	wait "$pid" || true
	[ "$status" -eq 2 ]
	[[ $output == *"another benchmark is running"* ]]
}

@test "keys that never go are counted, not waited for" {
	need_root
	before=$(machine_state)
	# So many keys take some half a second, and the wait ends after a tenth of one.
	run -1 "$keygcbench" --quiet --keys 600000 --phase unused --timeout 0.1 --csv out.csv
	[[ $output == *"of 600,000 keys are still there after 0.1 s"* ]]
	[ "$(field out.csv unused drain n)" -eq 0 ]
	[ -z "$(field out.csv unused drain avg)" ]
	[ "$(field out.csv unused drain errors)" -gt 0 ]
	# What was seen of the collection is not the cost of all keys.
	[ -z "$(field out.csv unused gc_cpu avg)" ]
	assert_machine_state "$before"
}

@test "a user's own tracing is neither disturbed nor cleared" {
	need_root
	t=/sys/kernel/tracing
	mountpoint -q $t || skip "no tracefs"
	echo > $t/trace
	echo 1 > $t/events/workqueue/workqueue_execute_start/enable
	echo "users own marker" > $t/trace_marker
	run -0 "$keygcbench" --quiet --keys 500 --phase unused
	enabled=$(cat $t/events/workqueue/workqueue_execute_start/enable)
	kept=$(grep -c "users own marker" $t/trace)
	echo 0 > $t/events/workqueue/workqueue_execute_start/enable
	echo > $t/trace
	[ "$enabled" = 1 ]
	[ "$kept" -eq 1 ]
}

@test "without tracefs everything else still runs, with one line of why" {
	need_root
	unshare -m true || skip "no mount namespace of our own here"
	run -0 unshare -m sh -c 'mount -t tmpfs none /sys/kernel && exec "$0" --quiet --keys 300 --phase unused --csv out.csv' "$keygcbench"
	[[ $output == *"gc_work, gc_cpu, gc_passes, gc_queue left out: "* ]]
	[ -z "$(field out.csv unused gc_work n)" ]
	[ "$(field out.csv unused drain n)" -eq 1 ]
	[ "$(field out.csv unused bystander n)" -gt 0 ]
}

as_nobody() {
	cp "$keygcbench" "$BATS_TEST_TMPDIR/keygcbench"
	chmod 755 "$BATS_TEST_TMPDIR/keygcbench"
	# bats' folders are closed to others.
	local dir=$BATS_TEST_TMPDIR
	while [ "$dir" != / ]; do chmod a+x "$dir" 2>/dev/null || true; dir=${dir%/*}; dir=${dir:-/}; done
	run setpriv --reuid 12345 --regid 12345 --clear-groups "$BATS_TEST_TMPDIR/keygcbench" "$@"
}

# None of a process of as_nobody is left; its keyring goes a little after it.
nobodys_keys_gone() { ! grep -q '^ *12345:' /proc/key-users; }

@test "an unprivileged user: more keys than it may have are refused, naming limit and what fits" {
	need_root
	limit=$(cat /proc/sys/kernel/keys/maxkeys)
	as_nobody --keys $((5 * limit))
	[ "$status" -eq 2 ]
	[[ ${output//,/} == *"--keys $((5 * limit)) does not fit: kernel.keys.maxkeys is $limit for uid 12345"* ]]
	[[ ${output//,/} =~ ([0-9]+)" keys fit" ]]
	fit=${BASH_REMATCH[1]}
	# What is said to fit does, once the last process's keyring has been collected.
	within 10 nobodys_keys_gone
	as_nobody --quiet --keys "$fit" --phase unused
	[ "$status" -eq 0 ]
	within 10 nobodys_keys_gone
	as_nobody --keys $((fit + 1)) --phase unused
	[ "$status" -eq 2 ]
}

@test "an unprivileged user: 100 keys run, what needs root is left out" {
	need_root
	as_nobody --keys 100
	[ "$status" -eq 0 ]
	[[ $output == *"left out: tracing needs root"* ]]
	[[ $output == *"expired: skipped: "*gc_delay* ]]
	[[ $output == *"drain"*"unused"* ]]
}

@test "a kernel or container without keys: skipped with the reason, no rows" {
	deny=$(dirname "$keygcbench")/../tests/tools/deny
	[ -x "$deny" ] || deny=$root/build/host/tests/tools/deny
	run -77 "$deny" 38 "$keygcbench" --keys 100 --csv out.csv
	[[ $output == *"skipped: keyctl: Function not implemented"* ]]
	[ "$(wc -l < out.csv)" -eq 1 ]
	run -77 "$deny" 1 "$keygcbench" --keys 100 --csv out.csv
	[[ $output == *"skipped: keyctl: Operation not permitted"* ]]
}

@test "bad values of every option are refused with the option's name and bounds" {
	while read -r option value; do
		run "$keygcbench" "--$option=$value"
		[ "$status" -eq 2 ]
		[[ $output == *"--$option: "* ]]
	done <<-EOF
		keys 0
		keys -1
		keys 12x
		keys 100,
		keys 100000000
		keys 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33
		keyrings 0
		keyrings 1.5
		payload 0
		payload 32768
		release nosuch
		expiry -1
		expiry 3601
		probe-interval 0
		probe-interval nan
		timeout 0
		timeout 1e9
		phase nosuch
		profile nosuch
		boot x
		seed -1
		fact novalue
	EOF
	run "$keygcbench" --nosuch
	[ "$status" -eq 2 ]
	run "$keygcbench" surplus
	[ "$status" -eq 2 ]
}

@test "help, version and lists" {
	run -0 "$keygcbench" --help
	[[ $output == *"--keyrings"*"--release"* ]]
	run -0 "$keygcbench" --version
	[[ $output == *stallbench* ]]
	run -0 "$keygcbench" --list-phases
	[ "${#lines[@]}" -eq 4 ]
	run -0 "$keygcbench" --list-metrics
	[ "${lines[0]}" = "bench,metric,unit,better,primary,plot,wobble_percent,help" ]
}

@test "a full disk, a closed pipe and a folder that does not exist are errors with a name" {
	need_root
	run "$keygcbench" --quiet --keys 100 --phase unused --csv /dev/full
	[ "$status" -eq 1 ]
	[[ $output == *"/dev/full: No space left on device"* ]]
	run "$keygcbench" --quiet --keys 100 --phase unused --csv nosuch/out.csv
	[ "$status" -eq 1 ]
	[[ $output == *"cannot write nosuch/out.csv"* ]]
	run -1 bash -c 'exec "$@" >/dev/full' - "$keygcbench" --list-phases
	[[ $output == *"writing the phases: No space left on device"* ]]
	run bash -c "('$keygcbench' --keys 100 --phase unused; echo status=\$? >&2) | true"
	[[ $output == *"standard output: Broken pipe"*"status=1"* ]]
}

@test "paths with spaces, commas, % and a leading dash" {
	need_root
	mkdir "a b,c%d"
	run -0 "$keygcbench" --quiet --keys 100 --phase unused --csv "a b,c%d/-out.csv" --env "a b,c%d/-env.csv"
	[ "$(field "a b,c%d/-out.csv" unused drain n)" -eq 1 ]
	[ -s "a b,c%d/-env.csv" ]
}

@test "--csv - is all of standard output" {
	need_root
	"$keygcbench" --keys 100 --phase unused --csv - > all.csv
	[ "$(grep -vc '^\(kernel,\|host,keygcbench,1,unused,\)' all.csv)" -eq 0 ]
}

@test "numbers are written in the C locale" {
	need_root
	LC_ALL=de_DE.UTF-8 "$keygcbench" --quiet --keys 100 --phase unused --csv out.csv
	awk -F, 'NF != 17 { exit 1 }' out.csv
}
