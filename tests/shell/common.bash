# shellcheck shell=bash
# Shared by the bats files: where things are, and what a run must leave as it was.

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
# shellcheck disable=SC2034 # for the files
bin=${STALLBENCH_BIN:-$root}
export LC_ALL=C
# mkfs and others, for root by plain su.
PATH+=:/usr/sbin:/sbin

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

# Waits until COMMAND succeeds; fails when it has not after so many seconds.
within() {	# within SECONDS COMMAND...
	local tries=$(($1 * 10))
	shift
	until "$@"; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}

# What to wait for: a run of which N cells have passed; no process, or two, with such a command line.
cells_passed() {	# cells_passed DIR N
	[ "$(cat "$1"/cells/*/*/*/status 2>/dev/null | grep -c pass)" -ge "$2" ]
}
no_process() { ! pgrep -f "$1" >/dev/null; }
two_processes() { [ "$(pgrep -fc "$1")" -eq 2 ]; }

# The sysctls, trace instances and processes, then keys and quota by user. An instance whose process
# is gone, as a kill leaves it, is stale.
machine_state() {
	local instance
	grep -H . /proc/sys/kernel/keys/{gc_delay,maxkeys,maxbytes,root_maxkeys,root_maxbytes}
	for instance in /sys/kernel/tracing/instances/*; do
		[ -e "$instance" ] || continue
		instance=${instance##*/}
		case $instance in
		stallbench-*) [ -e "/proc/${instance#*-}" ] || instance="stale $instance" ;;
		esac
		echo "$instance"
	done
	pgrep -x keygcbench || true
	awk '{ print "user", $1 + 0, $3, $7 }' FS='[ /]+' <(sed 's/^ *//' /proc/key-users)
}

# Nothing has changed and no key has been added; the last keys of earlier processes may have
# gone meanwhile, and instances that were stale before. The collector gets some seconds. Keys are
# those of the users that keygcbench and the tests run as. Other users come and go; root's sessions
# take a few keys, while what a run would cost it (keygcbench/owner.h) is thousands of bytes.
assert_machine_state() {	# assert_machine_state BEFORE
	local now
	for _ in $(seq 100); do
		now=$(machine_state)
		! awk '
			$1 == "stale" && FNR == NR { stale[$2]; next }
			$1 == "stale" && $2 in stale { next }
			$1 != "user" { count[$0] += FNR == NR ? 1 : -1; next }
			FNR == NR { keys[$2] = $3; quota[$2] = $4; next }
			{ ours = $2 >= 1900000000 || $2 == 12345 }
			$2 && !ours { next }
			$3 > keys[$2] + (ours ? 0 : 10) || $4 > quota[$2] + (ours ? 0 : 2000) { exit worse = 1 }
			END { for (line in count) worse = worse || count[line]; exit worse }
		' <(printf '%s\n' "$1") <(printf '%s\n' "$now") || return 0
		sleep 0.1
	done
	diff <(printf '%s\n' "$1") <(printf '%s\n' "$now")
	return 1
}

# Field COLUMN of the row of results.csv with this PHASE and METRIC.
field() {	# field FILE PHASE METRIC COLUMN
	awk -F, -v phase="$2" -v metric="$3" -v column="$4" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["phase"] == phase && $at["metric"] == metric { print $at[column] }' "$1"
}

# COMMAND with some of its calls failing: tests/helpers/fault.c has the variables.
faulty() {	# faulty VARIABLE=VALUE... -- COMMAND...
	local variables=() library=$bin/tests/helpers/fault.so
	[ -e "$library" ] || library=$root/build/host/tests/helpers/fault.so
	while [ "$1" != -- ]; do variables+=("$1"); shift; done
	shift
	env "${variables[@]}" LD_PRELOAD="$library" ASAN_OPTIONS=verify_asan_link_order=0 "$@"
}
