# shellcheck shell=bash
# Shared by the bats files: where things are, and what a run must leave as it was.

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
# shellcheck disable=SC2034 # for the files
bin=${STALLBENCH_BIN:-$root}
export LC_ALL=C

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

# The sysctls, this user's keys and quota, and the trace instances.
machine_state() {
	grep -H . /proc/sys/kernel/keys/{gc_delay,maxkeys,maxbytes,root_maxkeys,root_maxbytes}
	awk '{ print $1, $3, $4, $5 }' /proc/key-users
	ls /sys/kernel/tracing/instances 2>/dev/null || true
	pgrep -x keygcbench || true
}

# Keys of a killed process go with the next pass of the collector: give it some seconds.
assert_machine_state() {	# assert_machine_state BEFORE
	local now
	for _ in $(seq 100); do
		now=$(machine_state)
		[ "$now" != "$1" ] || return 0
		sleep 0.1
	done
	diff <(printf '%s\n' "$1") <(printf '%s\n' "$now")
}

# Field COLUMN of the row of results.csv with this PHASE and METRIC.
field() {	# field FILE PHASE METRIC COLUMN
	awk -F, -v phase="$2" -v metric="$3" -v column="$4" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["phase"] == phase && $at["metric"] == metric { print $at[column] }' "$1"
}
