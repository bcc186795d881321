# shellcheck shell=bash
# shellcheck disable=SC2154 # what lib.sh sets
# Kernels that were built elsewhere: FOLDER-OR-TARBALL:NAME of what make-dist makes. Sourced by
# find-kernel.sh, never run.

# Takes FOLDER-OR-TARBALL:NAME apart: sets dist_path and dist_name. False if KERNEL is no such
# thing; a file of that name, colon included, is a file.
sb_dist_split() {	# sb_dist_split KERNEL
	[[ $1 == *:* ]] && [ ! -e "$1" ] || return 1
	dist_path=${1%:*} dist_name=${1##*:}
	[ -d "$dist_path" ] || [[ $dist_path == *.tar.zst ]]
}

# Files of a folder against its checksums; what is wrong is named, file by file.
sb_dist_check() {	# sb_dist_check FOLDER GLOB...
	local folder=$1 glob line wanted='' bad
	shift
	[ -s "$folder/SHA256SUMS" ] || sb_die "$SB_USAGE" "$folder: no kernels of make-dist (no SHA256SUMS in it)"
	while read -r line; do
		for glob; do
			# shellcheck disable=SC2053 # a pattern
			[[ ${line#*  } != $glob ]] || wanted+=$line$'\n'
		done
	done <"$folder/SHA256SUMS"
	bad=$(cd "$folder" && sha256sum --check --strict --quiet - <<<"${wanted%$'\n'}" 2>/dev/null) ||
		sb_die "$SB_USAGE" "$folder is damaged: ${bad//$'\n'/, }"
}

# Unpacked once into the cache, under the tarball's own checksum.
sb_dist_unpack() {	# sb_dist_unpack TARBALL: sets dist_dir
	local sum folder
	[ -f "$1" ] || sb_die "$SB_USAGE" "$1: no such file"
	sum=$(sha256sum <"$1")
	sum=${sum%% *}
	# Made with it, and often kept beside it.
	[ ! -f "$1.sha256" ] || grep -q "^$sum " "$1.sha256" ||
		sb_die "$SB_USAGE" "$1 is damaged: its checksum is not that of $1.sha256"
	folder=$sb_cache/dist/${sum:0:16}
	mkdir -p "${folder%/*}" || sb_die "$SB_USAGE" "cannot write to $sb_cache"
	exec 8>"${folder%/*}/lock"
	flock 8
	if [ ! -f "$folder/complete" ]; then
		rm -rf "$folder"
		mkdir "$folder"
		# Under sudo or not, what is unpacked is one's own.
		if ! zstd -dcq -- "$1" 8>&- | tar -xf - --no-same-owner -C "$folder" 8>&-; then
			rm -rf "$folder"
			sb_die "$SB_USAGE" "$1 is damaged: it does not unpack (all that it needs: tar, zstd)"
		fi
		: >"$folder/complete"
	fi
	exec 8>&-
	dist_dir=$(find "$folder" -mindepth 1 -maxdepth 1 -type d)
	[ -d "$dist_dir" ] || sb_die "$SB_USAGE" "$1: no kernels of make-dist"
}

# Sets dist_dir to the folder that holds dist_name, which is there and whole, with all it needs.
sb_dist_open() {	# sb_dist_open KERNEL (one that sb_dist_split takes apart)
	local dist_path dist_version
	sb_dist_split "$1"
	if [ -d "$dist_path" ]; then
		dist_dir=$(cd "$dist_path" && pwd)
	else
		sb_dist_unpack "$dist_path"
	fi
	sb_dist_check "$dist_dir" VERSION initramfs 'bin/*' "kernels/$dist_name/*"
	read -r dist_version <"$dist_dir/VERSION"
	# The files of a run are read by the scripts of this tree.
	[ "$dist_version" = "$(sb_version)" ] || sb_die "$SB_USAGE" \
		"kernel $1: of stallbench $dist_version, and this is $(sb_version)"
	[ -f "$dist_dir/kernels/$dist_name/bzImage" ] || sb_die "$SB_USAGE" \
		"kernel $1: no '$dist_name' in it (there are: $(cd "$dist_dir/kernels" && echo *))"
}

# With kernels that were built elsewhere come the programs for host and guests. Those of the first
# one named are used for all kernels of a run, so that nothing has to be compiled for it and all
# have the same. Sets dist_tools to their folder, or to nothing.
# shellcheck disable=SC2034
sb_dist_tools() {	# sb_dist_tools KERNEL...
	local kernel dist_path dist_name dist_dir
	local -a point_parameters
	local point_kernel
	dist_tools=
	for kernel; do
		sb_split_point "$kernel"
		sb_dist_split "$point_kernel" || continue
		# What unpacks it is missing on a bare machine.
		"$sb_root/scripts/deps" --quiet boot
		sb_dist_open "$point_kernel"
		dist_tools=$dist_dir
		[ "$sb_bin" != "$sb_root" ] || sb_bin=$dist_dir/bin
		export STALLBENCH_BIN=$sb_bin
		return
	done
}
