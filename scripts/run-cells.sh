# shellcheck shell=bash
# shellcheck disable=SC2154 # what lib.sh and run-all.sh set
# Running the cells that are to be done: here, on other machines, or on a cluster. Sourced by
# run-all.sh, never run.

# A guest says nothing before its end, so somebody has to. Short, and the cursor at its beginning:
# what is said next is longer and writes over it.
tick() {	# tick CELLS
	local began=$SECONDS of='' before
	before=$(wc -l <"$out/joblog")
	[[ $estimate != about* ]] || of=" of ${estimate%%,*}"
	while sleep 1; do
		printf '\r%s/%s cells, %d s%s\r' $(($(wc -l <"$out/joblog") - before)) "$1" \
			$((SECONDS - began)) "$of" >/dev/tty
	done
}

run_parallel() {	# run_parallel OPTION... PROGRAM...: a cell's four words and its number are added
	# Killed, parallel leaves its jobs behind; the kernel tells them, and they clean up.
	sb_supervise parallel --plain --will-cite --quote --null --arg-file "$out/todo" \
		--max-args 4 --joblog "+$out/joblog" --line-buffer --termseq TERM,20000,KILL,25 \
		"$@" '{1}' '{2}' '{3}' '{4}' '{#}/'"$cells" || true
}

run_slurm() {
	local job
	slurm_submit "$cells"
	slurm_wait "$job"
	# What the cells have said, in their order.
	for ((at = 1; at <= cells; at++)); do
		cat -- "$out/slurm/$at.log" 2>/dev/null || true
	done
}

# Runs the words of todo, four a cell.
run_cells() {
	local cells=$((${#todo[@]} / 4)) ticker=''
	save_list "$out/todo" "${todo[@]}"
	# What parallel leaves out when it is to add to a log.
	[ -s "$out/joblog" ] ||
		printf 'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n' >"$out/joblog"
	[ -z "$hosts" ] || hosts_prepare
	announce "$cells"
	# The benchmarks on the host have progress of their own.
	if [ -t 2 ] && [ -z "$slurm" ] && [[ " ${names[*]} " != *" host "* ]]; then
		tick "$cells" 9>&- &
		ticker=$!
	fi
	if [ -n "$slurm" ]; then
		run_slurm
	elif [ -n "$hosts" ]; then
		# What comes back is put below the present folder.
		cd "$out" || exit "$SB_FAILED"
		run_parallel "${hosts_options[@]}" "../../kits/$hosts_kit/scripts/host-cell"
		cd "$OLDPWD" || exit "$SB_FAILED"
		hosts_finish
	else
		run_parallel --jobs "$jobs" setpriv --pdeathsig TERM "$sb_root/scripts/run-cell" "$out"
	fi
	trap - INT TERM HUP
	[ -z "$ticker" ] || kill "$ticker" 2>/dev/null || true
}
