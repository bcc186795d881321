# shellcheck shell=bash
# shellcheck disable=SC2034 # for those who source it
# Shared by the programs of this folder: where things are, and a run of a stub benchmark.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${STALLBENCH_BIN:-$root}
export LC_ALL=C NO_INSTALL=1
PATH+=:/usr/sbin:/sbin
failed=0

# An empty folder: $work, gone at the end, and the present one. As clean_up says, if it is defined.
make_work() {
	work=$(mktemp -d)
	trap 'leave' EXIT
	cd "$work" || exit 2
}

leave() {
	[ "$(type -t clean_up)" != function ] || clean_up
	cd / && rm -rf "$work"
}

# Makes run-all.sh use tests/helpers/stub-bench, and leaves in usual/ what it gives undisturbed.
stub_run() {
	mkdir -p stub/keygcbench stub/report
	ln -s "$bin/report/benchcmp" stub/report/benchcmp
	cp "$root/tests/helpers/stub-bench" stub/keygcbench/keygcbench
	export STALLBENCH_BIN=$work/stub
	run_all -o usual >/dev/null 2>&1 || { echo "the stub's run fails undisturbed" >&2; exit 2; }
}

run_all() { "$root/run-all.sh" -b keygcbench -n 3 --no-plots "$@"; }

same_results() {	# same_results DIR: as undisturbed
	local file
	for file in results.csv summary.csv tables.txt; do
		cmp -s "usual/$file" "$1/$file" || return 1
	done
}

wrong() {	# wrong WHAT LOG
	failed=$((failed + 1))
	printf '%s\n' "$1" >&2
	sed 's/^/    /' "$2" | tail -n 8 >&2
}
