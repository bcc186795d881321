#!/usr/bin/env bats
# KTAP and KCIDB: what other tools of the kernel's world read.

# shellcheck disable=SC2016,SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

header=kernel,bench,boot,phase,metric,unit,better,n,errors,min,avg,max,var,p50,p90,p99,p999

cell() {	# cell KERNEL BOOT STATUS [ROW...]
	local dir=run/cells/$1/keygcbench/boot$2 kernel=$1 boot=$2 row
	mkdir -p "$dir"
	echo "cells/$1/keygcbench/boot$2,$1,keygcbench,$2" >>run/plan.csv
	[ "$3" = missing ] || echo "$3" >"$dir/status"
	printf 'step,seconds\nboot,1.5\ncommand,2\n' >"$dir/timing.csv"
	printf 'key,value\nmachine,x86_64\nkernel_release,6.12-%s\nhz,250\n' "$1" >"$dir/env.csv"
	printf 'key,value\naccelerator,tcg\nclock,virtual\n' >"$dir/guest-env.csv"
	shift 3
	{
		echo "$header"
		for row; do echo "$kernel,keygcbench,$boot,$row"; done
	} >"$dir/results.csv"
}

# A run as run-all leaves it, with one cell of each fate.
setup() {
	load common
	cd "$BATS_TEST_TMPDIR"
	mkdir -p run/kernels run/manifests
	printf 'key,value\nclock,virtual\nstart,2026-01-02T03:04:05Z\n' >run/run.csv
	cat >run/metrics.csv <<-EOF
		bench,metric,unit,better,primary,plot,wobble_percent,help
		keygcbench,gc_work,us,lower,max total,,4,an execution
		keygcbench,passes,count,none,,,,executions
	EOF
	echo cell,kernel,bench,boot >run/plan.csv
	cell base 1 pass unused/100,gc_work,us,lower,2,0,1000,2000,3000,4,,,, unused/100,passes,count,none,1,0,2,2,2,0,,,, \
		expired,gc_work,us,lower,0,3,,,,,,,,
	cell 'new+a.b=1#2' 1 fail
	cell base 2 timeout
	cell 'new+a.b=1#2' 2 skip
	cell base 3 splat
	cell 'new+a.b=1#2' 3 missing
	echo 'keygcbench: no luck # today' >'run/cells/new+a.b=1#2/keygcbench/boot1/stderr.log'
	echo 'timeout: silent for 300 s' >run/cells/base/keygcbench/boot2/verdict.txt
	echo 'keygcbench: needs root' >'run/cells/new+a.b=1#2/keygcbench/boot2/stderr.log'
	printf '/k/bzImage\n%064d  -\n' 7 >run/kernels/base
	printf 'new+a.b=1#2\n%064d  -\n' 8 >'run/kernels/new+a.b=1#2'
	sum=$(printf %064d 1)
	cat >run/manifests/base <<-EOF
		variant=base
		flavour=hz1000
		release=6.12-base
		source=linux 6.12
		source_sha256=$(printf %064d 5)
		patch.a=b.patch=$sum
		compiler=gcc 12
		sha256.config=$(printf %064d 9)
	EOF
}

# KTAP version 1, strictly: versions, plans, numbers, nesting. Prints "STATUS DIRECTIVE NAME".
parse_ktap() {
	awk '
	function bad(why) { print "line " NR ": " why ": " $0; failed = 1; exit 1 }
	{
		match($0, /^ */)
		if (RLENGTH % 4) bad("indentation")
		level = RLENGTH / 4
		line = substr($0, RLENGTH + 1)
	}
	line == "KTAP version 1" {
		if (level != (NR > 1) * (depth + 1)) bad("version at this level")
		depth = level; plan[depth] = -1; count[depth] = 0; subtest[depth] = ""
		next
	}
	NR == 1 { bad("no version") }
	line ~ /^# Subtest: / { if (level != depth || plan[depth] != -1) bad("subtest"); subtest[depth] = substr(line, 12); next }
	line ~ /^1\.\.[0-9]+$/ { if (level != depth || plan[depth] != -1) bad("plan"); plan[depth] = substr(line, 4); next }
	line ~ /^# / { if (level != depth) bad("diagnostic"); next }
	line ~ /^(not )?ok / {
		ended = ""
		if (level == depth - 1) {
			if (count[depth] != plan[depth]) bad("plan not kept")
			ended = subtest[depth]
			depth--
		}
		if (level != depth) bad("result at this level")
		status = sub(/^not ok /, "", line) ? "not_ok" : (sub(/^ok /, "", line) ? "ok" : "")
		number = line; sub(/ .*/, "", number)
		if (number != ++count[depth]) bad("number")
		sub(/^[0-9]+ /, "", line)
		directive = "-"
		if ((i = index(line, " # "))) {
			directive = substr(line, i + 3); sub(/ .*/, "", directive)
			if (directive !~ /^(SKIP|TIMEOUT|ERROR)$/) bad("directive")
			if (substr(line, i + 3) ~ /#/) bad("number sign")
			line = substr(line, 1, i - 1)
		}
		if (line ~ /#/) bad("number sign")
		if (ended != "" && ended != line) bad("not the subtest that ended")
		print status, directive, line
		next
	}
	{ bad("no line of KTAP") }
	END { if (!failed && (depth != 0 || count[0] != plan[0])) { print "not finished"; exit 1 } }' "$@"
}

@test "KTAP: every fate of a cell, phases as subtests" {
	run -0 "$bin/report/benchcmp" ktap run "$root/results/reference"
	printf '%s\n' "$output" >ktap
	run -0 parse_ktap ktap
	[ "$output" = "$(cat <<-EOF
		ok - unused/100
		ok - expired
		ok - cells/base/keygcbench/boot1
		not_ok ERROR cells/new+a.b=1_2/keygcbench/boot1
		not_ok TIMEOUT cells/base/keygcbench/boot2
		ok SKIP cells/new+a.b=1_2/keygcbench/boot2
		not_ok ERROR cells/base/keygcbench/boot3
		not_ok ERROR cells/new+a.b=1_2/keygcbench/boot3
	EOF
	)" ]
	grep -q '^    # gc_work: n=2 min=1000 avg=2000 max=3000 unit=us better=lower$' ktap
	grep -q 'boot1 # ERROR fail: keygcbench: no luck _ today$' ktap
	grep -q 'boot2 # TIMEOUT timeout: silent for 300 s$' ktap
	grep -q 'boot2 # SKIP skip: keygcbench: needs root$' ktap
	grep -q 'boot3 # ERROR not run$' ktap
	# The parser of this test can tell.
	sed 's/^    1\.\.2/    1..3/' ktap >broken
	run -1 parse_ktap broken
	sed '$d' ktap >broken
	run -1 parse_ktap broken
}

@test "KTAP: as the kernel's own parser reads it" {
	tools=$(echo "${XDG_CACHE_HOME:-$HOME/.cache}"/stallbench/src/linux-source-*/tools/testing/kunit)
	tools=${tools%% *}
	[ -f "$tools/kunit_parser.py" ] && command -v python3 >/dev/null || skip "no unpacked kernel source, or no python3"
	"$bin/report/benchcmp" ktap run "$root/results/reference" >out.ktap
	run -0 env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$tools" python3 -c '
import kunit_parser
result = kunit_parser.parse_run_tests(open("out.ktap"))
c = result.counts
with open("read", "w") as out:
    print(c.passed, c.failed, c.crashed, c.skipped, c.errors, file=out)
    print([t.name for t in result.subtests[0].subtests], file=out)'
	[ "$(cat read)" = "2 4 0 1 0
['unused/100', 'expired']" ]
}

# What kcidb-io's schema/v05_03.py asks of the objects we write: properties there are, those that
# must be there, what their values look like.
schema='
def origin_id: type == "string" and test("^[a-z0-9_]+:.*$");
def text: type == "string" and (explode | index(0) == null);
def time: type == "string" and test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\\.[0-9]+)?(Z|[+-][0-9:]+)$");
def status: . as $s | ["FAIL", "ERROR", "MISS", "PASS", "DONE", "SKIP"] | index($s) != null;
def object($o; $required; allowed): ($o | type == "object") and
	($required - ($o | keys) == []) and ([$o | to_entries[] | allowed] | all);
def checkout: object(.; ["id", "origin"];
	if .key == "id" then .value | origin_id
	elif .key == "origin" then .value | test("^[a-z0-9_]+$")
	elif .key == "patchset_hash" then .value | test("^$|^[0-9a-f]{64}$")
	elif .key == "comment" then .value | text
	elif .key == "valid" then .value | type == "boolean"
	elif .key == "misc" then .value | type == "object"
	else false end);
def build: object(.; ["checkout_id", "id", "origin"];
	if .key == "id" or .key == "checkout_id" then .value | origin_id
	elif .key == "origin" then .value | test("^[a-z0-9_]+$")
	elif .key == "architecture" then .value | test("^[a-z0-9_]*$")
	elif .key == "compiler" or .key == "config_name" then .value | text
	elif .key == "status" then .value | status
	elif .key == "misc" then .value | type == "object"
	else false end);
def number: object(.; ["value"];
	if .key == "value" then .value | type == "number"
	elif .key == "unit" then .value | text
	else false end);
def environment: object(.; [];
	if .key == "misc" then .value | type == "object"
	elif .key == "comment" then .value | text
	else false end);
def test_run: object(.; ["build_id", "id", "origin"];
	if .key == "id" or .key == "build_id" then .value | origin_id
	elif .key == "origin" then .value | test("^[a-z0-9_]+$")
	elif .key == "path" then .value | test("^([a-zA-Z0-9_-]+(\\.[a-zA-Z0-9_-]+)*)?$")
	elif .key == "status" then .value | status
	elif .key == "comment" then .value | text
	elif .key == "start_time" then .value | time
	elif .key == "duration" then .value | type == "number"
	elif .key == "number" then .value | number
	elif .key == "environment" then .value | environment
	elif .key == "misc" then .value | type == "object"
	else false end);
def report: object(.; ["version"];
	if .key == "version" then .value == {"major": 5, "minor": 3}
	elif .key == "checkouts" then .value | all(checkout)
	elif .key == "builds" then .value | all(build)
	elif .key == "tests" then .value | all(test_run)
	else false end);
'
fits() { jq -e "$schema"' report and ([.. | . == null] | any | not) and
	# Links lead somewhere, and nothing is there twice.
	([.builds[].checkout_id] - [.checkouts[].id] == []) and ([.tests[].build_id] - [.builds[].id] == []) and
	([.checkouts, .builds, .tests] | all(map(.id) | length == (unique | length)))' "$1"; }

@test "KCIDB: fits the schema, each cell and each primary figure a test" {
	run -0 "$bin/report/benchcmp" kcidb run my_ci
	printf '%s\n' "$output" >report.json
	run -0 fits report.json
	[ "$(jq -c '[.checkouts, .builds, .tests | length]' report.json)" = "[2,2,8]" ]
	[ "$(jq -c '[.tests[] | select(.path == "stallbench.keygcbench").status]' report.json)" = \
		'["PASS","ERROR","FAIL","SKIP","FAIL","MISS"]' ]
	[ "$(jq -c '.tests[] | select(.status == "DONE") | [.path, .number]' report.json | sort)" = "$(printf '%s\n' \
		'["stallbench.keygcbench.unused_100.gc_work.max",{"value":3000,"unit":"us"}]' \
		'["stallbench.keygcbench.unused_100.gc_work.total",{"value":4000,"unit":"us"}]')" ]
	# A phase without samples has no number. A patch set has the hash that the schema defines.
	sum=$(printf '%064d\n' 1 | sha256sum | cut -c -64)
	[ "$(jq -r '.checkouts[0].patchset_hash' report.json)" = "$sum" ]
	[ "$(jq -r '.builds[0] | .config_name + " " + .compiler + " " + .architecture' report.json)" = "base@hz1000 gcc 12 x86_64" ]
	[ "$(jq '.tests[0].duration' report.json)" = 3.5 ]
	# The schema of this test can tell.
	jq 'del(.tests[0].build_id)' report.json >broken
	run -1 fits broken
	jq '.builds[0].id = "no colon"' report.json >broken
	run -1 fits broken
	jq '.tests[0].more = 1' report.json >broken
	run -1 fits broken
}

@test "KCIDB: wrong usage" {
	run -2 "$bin/report/benchcmp" kcidb run
	run -2 "$bin/report/benchcmp" kcidb run 'My CI'
	[[ $output == *"no name of an origin"* ]]
	run -2 "$bin/report/benchcmp" kcidb nosuch my_ci
	"$bin/report/benchcmp" kcidb run my_ci >/dev/full 2>said && false
	[ -s said ]
	"$bin/report/benchcmp" ktap run "$root/results/reference" >/dev/full 2>said && false
	[ -s said ]
}

@test "run-all --ktap: nothing else on the standard output" {
	need_root
	NO_INSTALL=1 "$root/run-all.sh" --ktap --no-plots -b dentrybench:positive_lookup -o out -- --count 1000 >ktap 2>said
	run -0 parse_ktap ktap
	[ "$output" = "ok - positive_lookup
ok - cells/host/dentrybench/boot1" ]
	grep -q 'positive_lookup' said
	NO_INSTALL=1 "$root/run-all.sh" --resume out --ktap 2>/dev/null | cmp - ktap
}
