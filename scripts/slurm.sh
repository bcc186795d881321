# shellcheck shell=bash
# shellcheck disable=SC2154 # what lib.sh and run-all.sh set
# Cells as one array job of a Slurm cluster, whose machines see this tree, its cache and the run's
# folder under the same paths. Sourced by run-all.sh, never run.

slurm_check() {
	local tool limit
	for tool in sbatch squeue scancel scontrol sinfo; do
		command -v "$tool" >/dev/null || sb_die "$SB_USAGE" "--slurm: no $tool (Debian package slurm-client)"
	done
	limit=$(scontrol show config 2>&1) || sb_die "$SB_USAGE" "--slurm: ${limit##*$'\n'}"
	limit=$(awk '$1 == "MaxArraySize" { print $3 }' <<<"$limit")
	[ "$1" -lt "${limit:-1001}" ] || sb_die "$SB_USAGE" \
		"--slurm: $1 cells, and this cluster takes arrays of less than $limit (MaxArraySize)"
}

# In real time a comparison's cells have one machine, alone; it is kept for --resume. Sets node.
slurm_node() {
	local word previous='' partition=()
	node=$(cat "$out/host" 2>/dev/null) && return
	for word in "${slurm_words[@]}"; do
		case $previous in
		-w | --nodelist) node=$word ;;
		-p | --partition) partition=(-p "$word") ;;
		esac
		case $word in
		--nodelist=* | -w?*) node=${word#--nodelist=} node=${node#-w} ;;
		--partition=*) partition=(-p "${word#*=}") ;;
		-p?*) partition=(-p "${word#-p}") ;;
		esac
		previous=$word
	done
	[ -n "$node" ] || node=$(sinfo -h -N "${partition[@]}" -t idle,mixed,allocated -o %N | head -n 1)
	[ -n "$node" ] || sb_die "$SB_USAGE" "--slurm: no node is up"
	[[ $node != *[,[]* ]] || sb_die "$SB_USAGE" "--slurm: in real time cells stay on one node, not on $node"
	printf '%s\n' "$node" >"$out/host"
}

# Memory of a cell in MiB: the guest's, and QEMU's own.
slurm_memory() {	# slurm_memory MEMORY (as QEMU takes it)
	case $1 in
	*[Gg]) echo $((${1%?} * 1024 + 512)) ;;
	*[Mm]) echo $((${1%?} + 512)) ;;
	*) echo $(($1 + 512)) ;;
	esac
}

slurm_submit() {	# slurm_submit CELLS: sets job
	local array=1-$1 node='' options
	[ -z "$jobs_asked" ] || array+=%$jobs_asked
	options=(--parsable --job-name=stallbench --array="$array" --ntasks=1 --chdir="$out" --requeue
		--output="$out/slurm/%a.log" --open-mode=append)
	if [ "$clock" = virtual ]; then
		options+=(--cpus-per-task=1 --mem="$(slurm_memory "$memory")M")
	else
		slurm_node
		options+=(--exclusive --nodelist="$node")
	fi
	rm -rf "$out/slurm"
	mkdir "$out/slurm"
	[ "$clock" != virtual ] || qemu-system-x86_64 --version </dev/null | head -n 1 >"$out/slurm/qemu"
	# The user's words last: they win. Slurm copies a script away from its folder, but no command.
	job=$(sbatch "${options[@]}" "${slurm_words[@]}" --wrap "$(printf '%q ' exec "$sb_root/scripts/slurm-cell" "$out")" \
		2>"$out/slurm/sbatch.log" 9>&-) ||
		sb_die "$SB_USAGE" "--slurm: $(tail -n 1 "$out/slurm/sbatch.log")"
	job=${job%%;*}
	printf '%s\n' "$job" >"$out/slurm/job"
	sb_say "Slurm job $job: $1 cells${node:+ on $node}"
}

# The tasks that are not at their end, a word each. A controller that is away for a moment is no
# reason to think that a job has ended.
slurm_states() {	# slurm_states JOB
	local answer
	answer=$(squeue -h -r -j "$1" -o '%T %r' 2>&1) && { printf '%s\n' "$answer"; return; }
	[[ $answer == *"Invalid job id"* ]] || printf 'UNKNOWN %s\n' "${answer##*$'\n'}"
}

slurm_wait() {	# slurm_wait JOB
	local states now said='' running waiting
	trap 'sb_on_signal INT' INT
	trap 'sb_on_signal TERM' TERM
	trap 'sb_on_signal HUP' HUP
	while [ -z "$sb_signalled" ]; do
		states=$(slurm_states "$1")
		[ -n "$states" ] || return 0
		running=$(grep -c '^RUNNING' <<<"$states" || true)
		waiting=$(grep -vc '^RUNNING' <<<"$states" || true)
		now="Slurm job $1: $running at work, $waiting waiting"
		[ "$running" -gt 0 ] || now+=" ($(head -n 1 <<<"$states"))"
		[ "$now" = "$said" ] || { sb_say "$now"; said=$now; }
		# In the background, so that a signal is heeded at once.
		sleep 2 9>&- &
		wait $! || true
	done
	# The cells first, which have something to clean up; Slurm's own way kills them after a while.
	scancel --full --signal=TERM "$1" 2>/dev/null || true
	sleep 2
	scancel "$1" 2>/dev/null || true
	for _ in {1..60}; do
		[ -n "$(slurm_states "$1")" ] || break
		sleep 1
	done
}

# A run that was killed leaves its job to the cluster: what that does need not be done again.
slurm_earlier() {
	local job
	job=$(cat "$out/slurm/job" 2>/dev/null) || return 0
	[ -n "$(slurm_states "$job")" ] || return 0
	sb_say "Slurm job $job of this run is still at work"
	slurm_wait "$job"
}
