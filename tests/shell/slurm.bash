# shellcheck shell=bash
# A cluster of the tests' own: munged, slurmctld and slurmd on the loopback device, with one node that
# has two CPUs, in a folder of their own.
# shellcheck disable=SC2154

# Why there can be no cluster; nothing if there can. (A skip in setup_file, even in a subshell, ends
# with 0 and skips nothing.)
cluster_lacks() {
	local tool
	[ "$(id -u)" -eq 0 ] || { echo "needs root"; return; }
	[ -n "${STALLBENCH_FULL-}" ] || { echo "starts a Slurm cluster: with STALLBENCH_FULL=1"; return; }
	for tool in slurmctld slurmd munged sbatch; do
		PATH=$PATH:/usr/sbin command -v $tool >/dev/null || { echo "no $tool (scripts/deps cluster)"; return; }
	done
}

need_cluster() {
	local reason
	reason=$(cluster_lacks)
	[ -z "$reason" ] || skip "$reason"
}

cluster_idle() { [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; }

cluster_up() {
	local node base=$((20000 + BATS_ROOT_PID % 20000 / 2 * 2))
	node=$(hostname -s)
	mkdir -p "$cluster"/{state,spool}
	chmod 755 "$cluster"
	head -c 1024 /dev/urandom >"$cluster/munge.key"
	chmod 400 "$cluster/munge.key"
	munged --force --foreground --socket="$cluster/munge.sock" --key-file="$cluster/munge.key" \
		--pid-file="$cluster/munge.pid" --log-file="$cluster/munge.log" --seed-file="$cluster/munge.seed" \
		--num-threads=2 >"$cluster/munged.out" 2>&1 3>&- &
	echo $! >"$cluster/pids"
	cat >"$cluster/slurm.conf" <<-EOF
		ClusterName=stallbench-test
		SlurmctldHost=$node(127.0.0.1)
		SlurmUser=root
		SlurmdUser=root
		AuthInfo=socket=$cluster/munge.sock
		SlurmctldPort=$base
		SlurmdPort=$((base + 1))
		StateSaveLocation=$cluster/state
		SlurmdSpoolDir=$cluster/spool
		SlurmctldPidFile=$cluster/slurmctld.pid
		SlurmdPidFile=$cluster/slurmd.pid
		SlurmctldLogFile=$cluster/slurmctld.log
		SlurmdLogFile=$cluster/slurmd.log
		ProctrackType=proctrack/pgid
		TaskPlugin=task/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		MpiDefault=none
		JobAcctGatherType=jobacct_gather/none
		ReturnToService=2
		KillWait=5
		MinJobAge=10
		MaxArraySize=20
		NodeName=$node NodeAddr=127.0.0.1 CPUs=2 RealMemory=4000 State=UNKNOWN
		PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	EOF
	export SLURM_CONF=$cluster/slurm.conf
	sleep 1
	PATH=$PATH:/usr/sbin
	slurmctld -D >"$cluster/slurmctld.out" 2>&1 3>&- &
	echo $! >>"$cluster/pids"
	slurmd -D -N "$node" >"$cluster/slurmd.out" 2>&1 3>&- &
	echo $! >>"$cluster/pids"
	within 120 cluster_idle || { tail -n 20 "$cluster"/*.log "$cluster"/*.out; return 1; }
}

cluster_down() {
	local pid
	scancel -u root 2>/dev/null || true
	tac "$cluster/pids" | while read -r pid; do
		kill "$pid" 2>/dev/null || true
	done
}
