#!/usr/bin/env bats
# The installer, on a list of packages that do not exist.

# shellcheck disable=SC2016,SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup() {
	load common
	cd "$BATS_TEST_TMPDIR"
	mkdir scripts
	cp "$root"/scripts/{deps,lib.sh} scripts/
	cat >scripts/deps.list <<-EOF
		one  stallbench-nosuch-a  cmd:stallbench-nosuch-a
		one  stallbench-nosuch-b  file:/nonexistent/*/b
		two  bash                 cmd:bash
		two  coreutils            file:/bin/l?
	EOF
}

@test "what is missing is named all at once, and nothing installed" {
	run -2 scripts/deps --no-install one two
	[[ $output == *"missing: stallbench-nosuch-a stallbench-nosuch-b"* ]]
	NO_INSTALL=1 run -2 scripts/deps one
	[[ $output == *"missing: stallbench-nosuch-a stallbench-nosuch-b"* ]]
}

@test "what is there is not installed again" {
	run -0 scripts/deps two
	[[ $output == *"nothing missing"* ]]
	run -0 scripts/deps --quiet two
	[ -z "$output" ]
}

@test "wrong usage" {
	run -2 scripts/deps
	run -2 scripts/deps nosuch
	[[ $output == *"no group 'nosuch'"* ]]
	run -2 scripts/deps --nosuch
	run -0 scripts/deps --help
}
