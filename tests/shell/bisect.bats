#!/usr/bin/env bats
# scripts/bisect under a real git bisect, on a tree of one file; building and booting are stubs. The real
# thing, kernels and guests, is tests/guest/run-bisect.

# shellcheck disable=SC2154 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup() {
	load common
	here=$BATS_TEST_TMPDIR/here
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$here/scripts" "$tree"
	cp -r "$root/scripts/bisect" "$root/scripts/lib.sh" "$root/scripts/arch" "$here/scripts/"
	export STALLBENCH_BIN=$bin GIT_CONFIG_GLOBAL=/dev/null
	# A tree with "broken" in it does not build; one with "silent" boots and says nothing.
	cat >"$here/scripts/build-kernel" <<-'EOF'
		#!/usr/bin/env bash
		! grep -q broken "$2/Kconfig" || { echo "a.c:1: error: broken" >&2; exit 1; }
		cp "$2/Kconfig" "${0%/*}/../kernel"
	EOF
	# Measures what the tree says.
	cat >"$here/run-all.sh" <<-'EOF'
		#!/usr/bin/env bash
		while [ "$1" != -o ]; do shift; done
		cell=cells/k/keygcbench/boot1
		mkdir -p "$2/$cell"
		grep -q silent "${0%/*}/kernel" && { echo "timeout: nothing came" >"$2/$cell/verdict.txt"; exit 1; }
		grep -q usage "${0%/*}/kernel" && exit 2
		printf 'cell,kernel,bench,boot\n%s,k,keygcbench,1\n' $cell >"$2/plan.csv"
		printf 'bench,metric,unit,better,primary,plot,wobble_percent,help\nkeygcbench,gc_cpu,ns,lower,avg,,,x\n' >"$2/metrics.csv"
		figure=$(sed -n 's/^figure //p' "${0%/*}/kernel")
		printf 'kernel,bench,boot,phase,metric,unit,better,n,errors,min,avg,max,var,p50,p90,p99,p999\n' >"$2/$cell/results.csv"
		printf 'k,keygcbench,1,unused,gc_cpu,ns,lower,1,0,%s,%s,%s,0,,,,\n' "$figure" "$figure" "$figure" >>"$2/$cell/results.csv"
		echo pass >"$2/$cell/status"
	EOF
	chmod +x "$here/scripts/build-kernel" "$here/run-all.sh"
	cd "$tree" || return
	git init -q
	git config user.name stallbench
	git config user.email stallbench@stallbench.invalid
}

commit() {	# commit SUBJECT LINE...
	printf '%s\n' "${@:2}" "# $1" >Kconfig
	git add Kconfig
	git commit -qm "$1"
}

bisect=(keygcbench:unused gc_cpu avg 1780+2%)

@test "the slow commit is found unattended, and every step is on record" {
	commit first "figure 1780"
	git tag old
	commit second broken
	commit third "figure 1775"
	commit slow "figure 1868"
	commit fifth "figure 1870"
	commit sixth silent
	commit seventh "figure 1869"
	git bisect start HEAD old
	run git bisect run "$here/scripts/bisect" "${bisect[@]}"
	echo "$output"
	[ "$(git show -s --format=%s refs/bisect/bad)" = slow ]
	[[ $output == *"is the first bad commit"* ]]
	run -0 cat .git/bisect.csv
	[[ $output == "commit,subject,verdict,seconds,said"* ]]
	[[ $output == *"unused gc_cpu avg 186"*"over 1 boot"* ]]
}

@test "good 0, bad 1, untestable 125, wrong usage 128" {
	commit good "figure 1815"
	run -0 "$here/scripts/bisect" "${bisect[@]}"
	[[ $output == *"is good: unused gc_cpu avg 1815 ns over 1 boot, bound 1815.6"* ]]
	commit bad "figure 1816"
	run -1 "$here/scripts/bisect" "${bisect[@]}"
	commit broken broken
	run -125 "$here/scripts/bisect" "${bisect[@]}"
	[[ $output == *"a.c:1: error: broken"* ]]
	commit silent silent
	run -125 "$here/scripts/bisect" "${bisect[@]}"
	[[ $output == *"not measured: timeout: nothing came"* ]]
	commit usage usage
	run -128 "$here/scripts/bisect" "${bisect[@]}"
	commit good "figure 1815"
	run -128 "$here/scripts/bisect" keygcbench:unused nosuch avg 1
	run -128 "$here/scripts/bisect" keygcbench:unused gc_cpu avg x
	run -128 "$here/scripts/bisect" keygcbench gc_cpu avg 1
	run -128 "$here/scripts/bisect" --tree /nosuch "${bisect[@]}"
}
