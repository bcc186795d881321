#!/usr/bin/env bats
# tests/TRAPS.md is true: the tests that it names are there, and no failure is without one.

# shellcheck disable=SC2154 # root comes from common.bash
bats_require_minimum_version 1.5.0

setup() {
	load common
	cd "$root" || return
}

# Whether the test or function NAME is one of FILE's.
has_test() {	# has_test FILE NAME
	case $1 in
	*.bats) grep -qxF "@test \"$2\" {" "$1" ;;
	*.c) grep -qF "cmocka_unit_test($2)" "$1" ;;
	*) false ;;
	esac
}

# Names what is wrong with a list of traps; true if nothing is.
check_traps() {	# check_traps FILE
	local line file wrong='' failure='' tests=0
	while IFS= read -r line || [ -n "$line" ]; do
		case $line in
		'- '*)
			file=${line#- } file=${file%%: *}
			tests=$((tests + 1))
			[ -f "$file" ] && has_test "$file" "${line#*: }" || wrong+="no such test: $line"$'\n'
			;;
		'') ;;
		*)
			# The text of a failure may go on in a second line.
			[ "$tests" = 0 ] || failure=''
			[ -n "$failure" ] || failure=$line
			tests=0
			;;
		esac
		if [ -z "$line" ] && [ "$tests" = 0 ] && [ -n "$failure" ]; then
			wrong+="no test: $failure"$'\n'
		fi
		[ -n "$line" ] || failure='' tests=0
	done < <(sed '1,/^## /d; /^## /d' "$1"; echo)
	printf '%s' "$wrong"
	[ -z "$wrong" ]
}

@test "every test that TRAPS.md names exists, and every failure has one" {
	check_traps tests/TRAPS.md
	[ "$(grep -c '^- ' tests/TRAPS.md)" -gt 50 ]
}

@test "a name that is wrong, and a failure without a test, are found" {
	sed 's/: SIGTERM$/: SIGTERMINATE/' tests/TRAPS.md >"$BATS_TEST_TMPDIR/wrong"
	run -1 check_traps "$BATS_TEST_TMPDIR/wrong"
	[[ $output == "no such test: - tests/shell/keygcbench.bats: SIGTERMINATE" ]]
	sed '/^- .*one_sample\|^- .*large_values\|^- .*small_differences/d' tests/TRAPS.md >"$BATS_TEST_TMPDIR/without"
	run -1 check_traps "$BATS_TEST_TMPDIR/without"
	[[ $output == "no test: Sums of squares overflow"* ]]
}

@test "dentrybench and srcubench write no sysctl" {
	# It is found where it is.
	grep -q sb_sysctl_set keygcbench/*.c
	for bench in dentrybench srcubench; do
		run ! grep -q sb_sysctl_set "$bench"/*.c
	done
}
