#!/usr/bin/env bats
# Sweeps: kernels with boot parameters of their own, from the plan to the guest that reads them back.

# shellcheck disable=SC2016,SC2154 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup() {
	load common
}

plan() {	# plan ARGUMENT...: the kernels of the plan
	STALLBENCH_BIN=$bin run -0 "$root/run-all.sh" --no-install --dry-run -b keygcbench "$@"
	mapfile -t kernels < <(sed -n 's/^cells\/[^,]*,\([^,]*\),.*/\1/p' <<<"$output")
}

@test "sweeps multiply, and P1,P2= moves both" {
	plan -k baseline --sweep m.a,m.b=1,20 --sweep sysctl.x.y=5,6
	[ "${kernels[*]}" = "baseline+m.a=1+m.b=1+sysctl.x.y=5 baseline+m.a=1+m.b=1+sysctl.x.y=6 \
baseline+m.a=20+m.b=20+sysctl.x.y=5 baseline+m.a=20+m.b=20+sysctl.x.y=6" ]
}

@test "what makes no difference is left out, and said" {
	cp -r "$root/kernels" "$BATS_TEST_TMPDIR/"
	own=$BATS_TEST_TMPDIR/kernels/variants/keys-gc-chunks/parameters
	printf 'sysctl.t.limit\nsysctl.t.force unless sysctl.t.limit=0\n' >"$own"
	run -0 bash -c '. "$1/scripts/lib.sh"; . "$1/scripts/find-kernel.sh"; . "$1/scripts/sweep.sh"
		sb_variants=$2/kernels/variants
		sb_sweep baseline keys-gc-chunks -- sysctl.t.limit=0,1 sysctl.t.force=0,1
		echo "points: ${points[*]}"' - "$root" "$BATS_TEST_TMPDIR"
	[[ $output == *"points: baseline keys-gc-chunks+sysctl.t.limit=0 \
keys-gc-chunks+sysctl.t.limit=1+sysctl.t.force=0 keys-gc-chunks+sysctl.t.limit=1+sysctl.t.force=1"* ]]
	[[ $output == *"baseline has no sysctl.t.limit: left out"* ]]
	[[ $output == *"keys-gc-chunks: sysctl.t.force makes no difference with sysctl.t.limit=0: left out"* ]]
}

@test "a sweep that is none, and one of the running kernel, are refused" {
	for sweep in x x=1 m.a= m.a=1,,2 'm.a=1 2' m.a=1/2; do
		run -2 "$root/run-all.sh" --no-install --dry-run -k baseline --sweep "$sweep"
		[[ $output == *"--sweep: '$sweep' is not"* ]]
	done
	run -2 "$root/run-all.sh" --no-install --dry-run -k host --sweep m.a=1
	[[ $output == *"running kernel cannot be swept"* ]]
}

@test "in a guest: a parameter that took, one that did not, one that is not there" {
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
	run -0 "$root/scripts/boot-kernel" --accel tcg \
		baseline+srcutree.srcu_max_nodelay_phase=100+sysctl.vm.swappiness=10 -- \
		cat /sys/module/srcutree/parameters/srcu_max_nodelay_phase /proc/sys/vm/swappiness
	[[ $output == *100*10* ]]
	run -1 "$root/scripts/boot-kernel" --accel tcg baseline+sysctl.vm.swappiness=1000 -- echo ran
	[[ $output == *"sysctl.vm.swappiness did not take: asked for 1000, /proc/sys/vm/swappiness says 60"* ]]
	[[ $output != *ran* ]]
	run -1 "$root/scripts/boot-kernel" --accel tcg baseline+nosuch.thing=1 -- echo ran
	[[ $output == *"nosuch.thing did not take: /sys/module/nosuch/parameters/thing"* ]]
}

@test "in a guest: a scratch file system of its own, the same each time" {
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
	for try in 1 2; do
		run -0 "$root/scripts/boot-kernel" --accel tcg --virtual-time --scratch 16M baseline -- \
			sh -c 'cd /scratch && grep " $PWD ext4 " /proc/mounts && dd if=/dev/ram0 bs=1M count=16 2>/dev/null | md5sum
				: >file && rm file && env | grep SCRATCH'
		[[ $output == *"STALLBENCH_SCRATCH=/scratch"* ]]
		[[ $output == *"STALLBENCH_SCRATCH_DEVICE=/dev/ram0"* ]]
		printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/$try"
	done
	cmp "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/2"
	run -2 "$root/scripts/boot-kernel" --scratch 10 baseline -- true
	[[ $output == *"--scratch 10"* ]]
}

@test "sweeps of several runs stand side by side, each divided by its plateau" {
	cd "$BATS_TEST_TMPDIR"
	header=kernel,bench,phase,metric,statistic,unit,parameter,value,boots,figure,published
	for arch in arm64 x86_64; do
		mkdir $arch
		printf 'key,value\narch,%s\nclock,virtual\n' $arch >$arch/run.csv
	done
	row() { printf 'k,b,p,total,avg,%s,m.a,%s\n' "$@"; }
	{ echo $header; row us 1000,1,8000000,10; row us 100,1,12000000,30; } >arm64/sweep.csv
	{ echo $header; row us 100,1,11000000,30; row us 500,1,10500000,; row us 1000,1,10000000,10; } >x86_64/sweep.csv
	run -0 "$root/scripts/compare" --sweeps --plot curves.svg arm64 x86_64
	[[ $output == *"A: k, arm64, virtual time"*"B: k, x86_64, virtual time"*"C: published"* ]]
	squeezed=$(tr -s ' ' <<<"$output")
	[[ $squeezed == *"| 100 | 12.000 | 1.500 | 11.000 | 1.100 | 3.000 |"* ]]
	[[ $squeezed == *"| 500 | - | - | 10.500 | 1.050 | - |"* ]]
	[[ $squeezed == *"| 1000 | 8.000 | 1.000 | 10.000 | 1.000 | 1.000 |"* ]]
	! command -v gnuplot >/dev/null || [ -s curves.svg ]
	# A letter for each of the many curves of many runs.
	for n in $(seq 30); do
		mkdir "run$n"
		printf 'key,value\narch,machine%s\n' "$n" >"run$n/run.csv"
		{ echo $header; row us 100,1,30,; row us 1000,1,"$n",; } >"run$n/sweep.csv"
	done
	run -0 "$root/scripts/compare" --sweeps run{1..30}
	[[ $output == *" Z: k, machine26"*" AA: k, machine27"*" AD: k, machine30"* ]]
	[[ $output == *" Z, us |     Z, x |       AA, us |    AA, x |"* ]]
	run -2 "$root/scripts/compare" --sweeps "$PWD"
	[[ $output == *"is not a run folder"* ]]
	rm arm64/sweep.csv
	run -2 "$root/scripts/compare" --sweeps arm64
	[[ $output == *"no sweep in it"* ]]
}
