# shellcheck shell=bash
# shellcheck disable=SC2154 # what lib.sh and run-all.sh set
# The folder of a run: begun with all that its cells need, or gone on with. Sourced by run-all.sh,
# never run.

new_folder() {
	local base try=1
	base=$sb_results/$(date -u +%Y%m%dT%H%M%SZ)-$profile
	out=$base
	mkdir -p "$sb_results"
	until mkdir "$out" 2>/dev/null; do
		try=$((try + 1))
		[ "$try" -lt 100 ] || sb_die "$SB_USAGE" "cannot make a folder in $sb_results"
		out=$base-$try
	done
}

metrics() {
	for spec in "${benches[@]}"; do
		"$sb_bin/${spec%%:*}/${spec%%:*}" --list-metrics
	done | awk 'NR == 1 || !/^bench,metric,/'
	cat "$sb_root/guest/metrics.csv"
}

save_list() {	# save_list FILE WORD...: ended by NUL each
	local file=$1
	shift
	: >"$file"
	[ $# -eq 0 ] || printf '%s\0' "$@" >"$file"
}

# Nothing that lies in a folder already is mixed with a run, or given to another owner. What a run
# left that came to no plan is as good as nothing.
check_empty() {
	[ ! -e "$out/plan.csv" ] ||
		sb_die "$SB_USAGE" "$out already holds a run: --resume it, or name another folder"
	[ ! -f "$out/lock" ] || [ ! -f "$out/arguments" ] || return 0
	[ -z "$(find "$out" -mindepth 1 -maxdepth 1 ! -name lock -print -quit 2>/dev/null)" ] ||
		sb_die "$SB_USAGE" "$out is not empty: name another folder"
}

# Whatever the run starts inherits the lock. It shows when all of it has ended.
claim_folder() {
	exec 9>"$out/lock"
	flock --wait 30 9 || sb_die "$SB_USAGE" "another run is at work in $out"
	# shellcheck disable=SC2034 # for give_back
	claimed=1
}

start_run() {
	if [ -z "$out" ]; then
		new_folder
	else
		check_empty
	fi
	if ! mkdir -p "$out" 2>/dev/null || [ ! -w "$out" ]; then
		sb_die "$SB_USAGE" "cannot write to $out"
	fi
	claim_folder
	# Another run may have begun here in the meantime.
	check_empty
	# Of another plan: its phases and kernels would be taken for this one's.
	rm -rf -- "$out"/{phases,kernels,manifests}
	mkdir "$out"/{phases,kernels,manifests}
	save_list "$out/arguments" "$@"
	save_list "$out/bench-options" "${options[@]}"
	save_list "$out/guest-options" "${guest_options[@]}"
	[ -z "$hosts" ] || cp -- "$hosts" "$out/machines"
	printf '%s\n' "$profile" >"$out/profile"
	for i in "${!names[@]}"; do
		printf '%s\n' "${specs[i]}" "$(sb_kernel_hash "${specs[i]}")" >"$out/kernels/${names[i]}"
		save_manifest "${specs[i]}" "$out/manifests/${names[i]}"
	done
	for spec in "${benches[@]}"; do
		bench=${spec%%:*}
		[ "$spec" = "$bench" ] || printf '%s\n' "${spec#*:}" >"$out/phases/$bench"
	done
	metrics >"$out/metrics.csv"
	{
		sb_csv_row key value
		sb_csv_row command_line "./run-all.sh${*:+$(printf ' %q' "$@")}"
		sb_csv_row profile "$profile"
		sb_csv_row work "$(work)"
		sb_csv_row arch "$sb_arch"
		sb_csv_row clock "$clock"
		sb_csv_row jobs "$jobs"
		sb_csv_row host "$(uname -srm)"
		sb_csv_row parallel "$(parallel --version | head -n 1)"
		sb_csv_row start "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
	} >"$out/run.csv"
	# Once for all cells, so that all have the same tools.
	if [ -n "$dist_tools" ]; then
		cp -- "$dist_tools/initramfs" "$out/initramfs"
	elif [ -n "$guests" ]; then
		"$sb_root/scripts/make-initramfs" --arch "$sb_arch" "$out/initramfs"
	fi
	plan >"$out/plan.csv"
}

# What build-kernel knows of a kernel.
save_manifest() {	# save_manifest SPEC FILE
	[ "$1" != host ] || return 0
	sb_find_kernel "$1"
	[ ! -f "${kernel_image%/*}/manifest" ] || cp -- "${kernel_image%/*}/manifest" "$2"
}

# A run that goes on later goes on with the kernels that it was begun with.
same_kernels() {
	local file saved
	for file in "$out"/kernels/*; do
		mapfile -t saved <"$file"
		[ "${saved[1]}" = "$(sb_kernel_hash "${saved[0]}")" ] ||
			sb_die "$SB_USAGE" "--resume: kernel ${file##*/} is not the one that $out was begun with"
	done
}
