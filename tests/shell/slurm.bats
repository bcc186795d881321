#!/usr/bin/env bats
# Cells as an array job of a real Slurm cluster, of one node.

# shellcheck disable=SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

small=(-k baseline -k keys-gc-chunks -b keygcbench:unused --no-plots -n 2)

setup_file() {
	load common
	load slurm
	export cluster=$BATS_FILE_TMPDIR/cluster runs=$BATS_FILE_TMPDIR
	[ -z "$(cluster_lacks)" ] || return 0
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || return 0
	cluster_up >&2
	"$root/scripts/build-kernel" baseline keys-gc-chunks >&2
}

teardown_file() {
	load slurm
	[ ! -f "$cluster/pids" ] || cluster_down
}

setup() {
	load common
	load slurm
	cd "$BATS_TEST_TMPDIR"
	export NO_INSTALL=1
}

need() {
	need_cluster
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
}

# Whether any two cells of a job log were at work at the same moment.
overlap() {	# overlap JOBLOG
	awk -F '\t' 'NR > 1 { a[++n] = $3; b[n] = $3 + $4 }
		END { for (i = 1; i <= n; i++) for (j = 1; j < i; j++) if (a[i] < b[j] && a[j] < b[i]) exit 0; exit 1 }' "$1"
}

@test "without Slurm: said before anything is done" {
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
	"$root/scripts/build-kernel" baseline keys-gc-chunks
	mkdir bin
	ln -s /usr/bin/* bin/
	rm -f bin/sbatch
	PATH=$PWD/bin:/usr/sbin:/sbin run -2 "$root/run-all.sh" "${small[@]}" --slurm -o out
	[[ $output == *"--slurm: no sbatch"* ]]
	run -2 "$root/run-all.sh" --slurm -o out
	[[ $output == *"another one on each machine"* ]]
	run -2 "$root/run-all.sh" "${small[@]}" --slurm --hosts x -o out
	[ ! -e out ]
}

@test "in virtual time: cells share the node, results are those of a run without Slurm" {
	need
	run -0 "$root/run-all.sh" "${small[@]}" --virtual-time -o "$runs/local" -- --keys 500
	run -0 "$root/run-all.sh" "${small[@]}" --virtual-time --slurm -o out -- --keys 500
	[[ $output =~ Slurm\ job\ [0-9]+:\ 4\ cells ]]
	[[ $output == *" at work, "*" waiting"*"[1/4] keygcbench on baseline, boot 1: pass"* ]]
	for file in results.csv summary.csv; do cmp "$runs/local/$file" "out/$file"; done
	[ "$(tail -n +2 out/joblog | cut -f 2 | sort -u)" = "$(hostname -s)" ]
	[ "$(wc -l <out/joblog)" -eq 5 ]
	overlap out/joblog
	# Only what is missing is submitted again.
	rm -r out/cells/baseline/keygcbench/boot2
	run -0 "$root/run-all.sh" --resume out
	[[ $output =~ Slurm\ job\ [0-9]+:\ 1\ cells ]]
	[ "$(wc -l <out/joblog)" -eq 6 ]
	cmp "$runs/local/results.csv" out/results.csv
}

@test "in real time: each cell has the node to itself; options reach sbatch" {
	need
	run -0 "$root/run-all.sh" "${small[@]}" --real-time --accel tcg --slurm="-p main --comment=of-mine" -o out -- --keys 500
	[ "$(cat out/host)" = "$(hostname -s)" ]
	run ! overlap out/joblog
	run -2 "$root/run-all.sh" "${small[@]}" --virtual-time --slurm="-p nosuch" -o wrong -- --keys 500
	[[ $output == *"--slurm: "*"nvalid partition"* ]]
	run -2 "$root/run-all.sh" "${small[@]}" --virtual-time -n 10 --slurm -o large
	[[ $output == *"20 cells, and this cluster takes arrays of less than 20"* ]]
	[ ! -e large ]
}

@test "interrupted: the job is cancelled, nothing is left running, --resume goes on" {
	need
	"$root/run-all.sh" "${small[@]}" --virtual-time --slurm -o out -- --keys 500 >log 2>&1 3>&- &
	pid=$!
	within 180 cells_passed out 1
	kill -TERM "$pid"
	got=0
	wait "$pid" || got=$?
	[ "$got" -eq 130 ]
	[ -z "$(squeue -h)" ]
	run ! pgrep -f "^[^ ]*qemu-system.*$PWD/out"
	grep -q 'goes on with it' log
	run -0 "$root/run-all.sh" --resume out
	[[ $output =~ Slurm\ job\ [0-9]+:\ [123]\ cells ]]
	cmp "$runs/local/results.csv" out/results.csv
}

@test "killed with -9: --resume waits for the job that goes on" {
	need
	"$root/run-all.sh" "${small[@]}" --virtual-time --slurm -o out -- --keys 500 >log 2>&1 3>&- &
	pid=$!
	within 180 test -e out/cells/baseline/keygcbench/boot1/status
	kill -KILL "$pid"
	wait "$pid" || true
	run -0 "$root/run-all.sh" --resume out
	[[ $output == *"of this run is still at work"* ]]
	# Nothing was done twice.
	[ "$(wc -l <out/joblog)" -eq 5 ]
	cmp "$runs/local/results.csv" out/results.csv
}
