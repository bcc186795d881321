#!/usr/bin/env bats
# scripts/scaling: what is made of its points, and, in full, the points themselves: that executions
# of keys-gc-bounded are bounded in every shape of keys, and what the workqueue watchdog says.

# shellcheck disable=SC2016,SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup() {
	load common
	cd "$BATS_TEST_TMPDIR"
}

# A point as its guest leaves it; times in us.
point() {	# point KERNEL KEYRINGS-RELEASE-KEYS GC_WORK BYSTANDER [CONSOLE-ROW]
	local dir=points/$1/$2
	mkdir -p "$dir"
	echo pass >"$dir/status"
	{
		echo kernel,bench,boot,phase,metric,unit,better,n,errors,min,avg,max,var,p50,p90,p99,p999
		echo "$1,keygcbench,1,unused,gc_work,us,lower,4,0,1,250,$3,0,,,,"
		echo "$1,keygcbench,1,unused,gc_work_cpu,us,lower,4,0,1,100,$(($3 / 2)),0,,,,"
		echo "$1,keygcbench,1,unused,bystander,us,lower,9,0,1,2,$4,0,,,,"
		echo "$1,keygcbench,1,unused,drain,us,lower,1,0,5000,5000,5000,0,,,,"
	} >"$dir/results.csv"
	{
		echo kind,pattern,line_number,text
		[ -z "${5-}" ] || echo "$5"
	} >"$dir/console.csv"
}

points() {
	point old 1-ring-1000 10000 8000
	point old 1-ring-50000 400000 300000 'expected,x,1,"BUG: workqueue lockup - pool cpus=0 stuck for 2s!"'
	point old 200-clear-1000 9000 8000 'hogged,x,1,"workqueue: key_garbage_collector hogged CPU for >10000us 4 times"'
	point new 1-ring-1000 1000 500
	point new 1-ring-50000 2000 1500
	point new 200-clear-1000 900 1000
}

@test "one table, by release, keyrings and N, with what the consoles said" {
	points
	run -0 "$bin/report/benchcmp" shapes . old new
	[[ ${lines[3]} == *"clear "*"200      1,000 |"*" 9.0 "*" 8.0 "*" 5.0 "*" 1H |"*" 0.9 "*" 1.0 "*"-"* ]]
	[[ ${lines[5]} == *"ring "*"1     50,000 |"*" 400.0 "*" 300.0 "*" 1L |"*" 2.0 "*" 1.5 "*"-"* ]]
	diff scaling.txt <(printf '%s\n' "$output")
}

@test "how many times smaller, over the shapes, and how much it grows, at worst" {
	points
	run -0 "$bin/report/benchcmp" shapes . old new
	[[ $output == *"new: how many times smaller than on old"*"1,000     10.0 to 10.0 "*"8.0 to 16.0 "* ]]
	[[ $output == *"     50,000    200.0 to 200.0"*"200.0 to 200.0"* ]]
	[[ $output == *"old: how many times larger than at N = 1,000, at worst"*"50,000                40.0                37.5                 1.0                40.0"* ]]
	[[ $output == *"new: how many times larger than at N = 1,000, at worst"*"50,000                 2.0                 3.0                 1.0                 2.0"* ]]
	head -n 2 scaling.csv | cut -d, -f7,8 | diff - <(printf '%s\n' gc_work_max_us,gc_work_cpu_max_us 9000,4500)
}

@test "a folder whose name has signs that a shell would take for a pattern" {
	mkdir 'sc[1]*'
	(cd 'sc[1]*' && points)
	run -0 "$bin/report/benchcmp" shapes 'sc[1]*' old new
	[ "$(grep -c '^new,' 'sc[1]*/scaling.csv')" -eq 3 ]
}

@test "any number of kernels; what cannot be written is no success" {
	for kernel in a b c d e f g h i j; do
		point $kernel 1-ring-1000 10000 8000
	done
	run -0 "$bin/report/benchcmp" shapes . a b c d e f g h i j
	[ "$(grep -c '^[a-j],' scaling.csv)" -eq 10 ]
	run -1 bash -c 'exec "$0" shapes . a b >/dev/full' "$bin/report/benchcmp"
	run -2 "$bin/report/benchcmp" shapes .
}

@test "points that are missing, at work or failed are no figures" {
	points
	mkdir points/new/2000-ring-1000
	echo incomplete >points/new/2000-ring-1000/status
	: >points/new/2000-ring-1000/console.csv
	touch points/new/1-ring-77.log
	rm -r points/new/200-clear-1000
	run -0 "$bin/report/benchcmp" shapes . old new
	[[ $output == *"200      1,000 |"*" 9.0 "*"1H |         -         -         -     -"* ]]
	[ "$(grep -c '^new,' scaling.csv)" -eq 2 ]
	run ! grep -qi nan scaling.csv scaling.txt
	run -2 "$bin/report/benchcmp" shapes . nothing
	[[ $output == *"holds no points"* ]]
	sed -i 's/,400000,/,4x,/' points/old/1-ring-50000/results.csv
	run -1 "$bin/report/benchcmp" shapes . old new
}

@test "a picture, and a usage error before anything runs" {
	command -v gnuplot >/dev/null || skip "no gnuplot"
	points
	"$bin/report/benchcmp" shapes . old new >/dev/null
	run -0 "$root/scripts/plot" --shapes .
	[ -s plots/shapes.keygcbench.svg ]
	[ -s plots/shapes.keygcbench.png ]
	for wrong in '--keys 10,x' '--keys 0' '--release sell' '--keyrings 1,-2' '--frobnicate 1'; do
		# shellcheck disable=SC2086 # two words
		run -2 "$root/scripts/scaling" -o out $wrong
		[ ! -e out ]
	done
	run -2 "$root/scripts/scaling"
}

full() {
	[ -n "${STALLBENCH_FULL-}" ] || skip "make check-full"
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
}

@test "keys-gc-bounded: 20 times smaller at N = 200,000 in every shape, and flat but for a tick" {
	full
	run -0 "$root/scripts/scaling" --no-plots -k baseline -k keys-gc-bounded --keys 10000,200000 -o run
	# Whoever else runs may keep the collector waiting for a tick, 4 ms here, in mid-execution.
	awk -F, '
		NR > 1 { work[$1, $2, $3, $4] = $7; cpu[$1, $2, $3, $4] = $8 }
		END {
			for (at in work) {
				split(at, part, SUBSEP)
				if (part[1] != "keys-gc-bounded" || part[4] != 200000) continue
				shapes++
				if (work["baseline", part[2], part[3], 200000] < 20 * work[at] ||
				    work[at] > 4000 + work[part[1], part[2], part[3], 10000] ||
				    cpu[at] > 1.5 * cpu[part[1], part[2], part[3], 10000]) {
					print part[2], part[3], work[at], cpu[at]
					bad = 1
				}
			}
			exit bad || shapes != 9
		}' run/scaling.csv
}

@test "a real lockup report without the patches, none with them" {
	full
	# Long enough for two seconds in one execution: the watchdog looks once a second.
	run "$root/scripts/scaling" --no-plots -m 4G -k baseline -k keys-gc-bounded --keyrings 1 --release clear \
		--keys 1500000 -o run
	[ "$(awk -F, '$1 == "baseline" { print ($13 > 0) }' run/scaling.csv)" = 1 ]
	[ "$(awk -F, '$1 == "keys-gc-bounded" { print $5, $13, $14 }' run/scaling.csv)" = "pass 0 0" ]
}
