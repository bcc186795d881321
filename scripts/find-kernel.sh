# shellcheck shell=bash
# shellcheck disable=SC2154 # what lib.sh sets
# Finds what a KERNEL argument means. Sourced after lib.sh, never run.

# shellcheck source=dist.sh
. "$sb_root/scripts/dist.sh"

sb_variants=$sb_root/kernels/variants

# A parameter that can be read back in the guest: of a module (or of what is built in under a
# module's name), or a sysctl.
readonly sb_parameter='[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+'
readonly sb_value='[^+,/ ]+'
readonly sb_point="^.+\+$sb_parameter=$sb_value\$"

# Takes a point apart: sets point_kernel, and point_parameters to words PARAM=VALUE.
# shellcheck disable=SC2034
sb_split_point() {	# sb_split_point KERNEL
	point_kernel=$1 point_parameters=()
	while [[ $point_kernel =~ $sb_point ]]; do
		point_parameters=("${point_kernel##*+}" "${point_parameters[@]}")
		point_kernel=${point_kernel%+*}
	done
}

# Of the configured suite, the newest cloud kernel; unpacked, never installed.
sb_fetch_debian() {
	local dir=$sb_kernels/debian package apt=(command)
	mkdir -p "$dir" || sb_die "$SB_USAGE" "cannot make '$dir'"
	exec 8>"$dir/lock"
	flock 8
	# Of another architecture: with lists of its own, which may not be there yet.
	if [ -n "$sb_foreign" ]; then
		apt=(sysroot_apt)
		[ -n "$(sysroot_apt apt-cache pkgnames linux-image-cloud 2>/dev/null)" ] ||
			sysroot_apt apt-get update >"$dir/fetch.log" 2>&1 || true
	fi
	package=$("${apt[@]}" apt-cache depends "linux-image-cloud-$arch_debian" 2>/dev/null |
		awk '$1 == "Depends:" && $2 ~ /^linux-image-/ { print $2; exit }') || true
	if [ -n "$package" ] && [ "$(cat "$dir/package" 2>/dev/null)" != "$package" ]; then
		sb_warn "fetching $package"
		rm -rf "$dir/new"
		mkdir "$dir/new"
		(cd "$dir/new" && "${apt[@]}" apt-get -q download "$package" && dpkg-deb -x ./*.deb root) \
			>"$dir/fetch.log" 2>&1 </dev/null || {
			tail -n 5 "$dir/fetch.log" >&2
			sb_die "$SB_USAGE" "kernel debian: apt-get could not fetch $package"
		}
		rm -rf "$dir/root" "$dir/new/"*.deb
		mv "$dir/new/root" "$dir/root"
		ln -sf "root/boot/vmlinuz-${package#linux-image-}" "$dir/$arch_image"
		printf '%s\n' "$package" >"$dir/package"
	fi
	exec 8>&-
	[ -e "$dir/$arch_image" ] || sb_die "$SB_USAGE" \
		"kernel debian: apt knows no linux-image-cloud-$arch_debian (apt-get update fetches its lists)"
}

# Sets kernel_image, kernel_name, kernel_cmdline, kernel_parameters (words PARAM=VALUE that the
# point asks for; also on the command line), kernel_expect (a file, or empty), kernel_spec (the
# same kernel, from whatever folder) and kernel_dist (the folder of kernels it comes from, with
# programs and an initramfs to go with it, or empty).
# shellcheck disable=SC2034
sb_find_kernel() {	# sb_find_kernel KERNEL[+PARAM=VALUE...]
	local point_kernel point_parameters
	sb_split_point "$1"
	sb_find_image "$point_kernel"
	kernel_parameters=("${point_parameters[@]}")
	kernel_name+=${1#"$point_kernel"}
	kernel_spec+=${1#"$point_kernel"}
	kernel_cmdline+=${kernel_cmdline:+ }${kernel_parameters[*]}
}

# shellcheck disable=SC2034
sb_find_image() {	# sb_find_image KERNEL
	local hash variant=${1%%[~@]*} dist_path dist_name dist_dir
	kernel_name=$1 kernel_cmdline='' kernel_expect='' kernel_spec=$1 kernel_dist=''
	if sb_dist_split "$1"; then
		sb_dist_open "$1"
		kernel_name=$dist_name kernel_dist=$dist_dir kernel_spec=$dist_dir:$dist_name
		kernel_image=$dist_dir/kernels/$dist_name/bzImage
		sb_beside_image
		return
	fi
	case $1 in
	*/*)
		[ -e "$1" ] || sb_die "$SB_USAGE" "kernel $1: no such file"
		kernel_image=$(realpath -- "$1")
		kernel_spec=$kernel_image
		if [ -f "$kernel_image" ]; then
			hash=$(sha256sum <"$kernel_image")
			kernel_name=$(basename -- "$1")-${hash:0:8}
		fi
		return
		;;
	debian) sb_fetch_debian ;;
	esac
	kernel_image=$sb_kernels/$1/$arch_image
	if [ ! -e "$kernel_image" ]; then
		[ ! -d "$sb_variants/$variant" ] || [ -z "$variant" ] ||
			sb_die "$SB_USAGE" "kernel $1: not built yet (scripts/build-kernel ${sb_foreign:+--arch $sb_arch }$1)"
		[ ! -f "$1" ] ||
			sb_die "$SB_USAGE" "kernel $1: no such variant (the file here is ./$1)"
		sb_die "$SB_USAGE" "kernel $1: neither a variant (scripts/build-kernel --list) nor a file"
	fi
	kernel_image=$(realpath -- "$kernel_image")
	sb_beside_image
}

# build-kernel leaves the variant's own words beside the image.
# shellcheck disable=SC2034
sb_beside_image() {
	if [ -f "${kernel_image%/*}/cmdline" ]; then
		kernel_cmdline=$(sed '/^#/d' "${kernel_image%/*}/cmdline" | paste -s -d ' ')
	fi
	if [ -f "${kernel_image%/*}/expect" ]; then
		kernel_expect=${kernel_image%/*}/expect
	fi
}

# Copies modules of the kernel found, and what they depend on, into the folder JOB, which then
# tells the guest in which order to load them. A name that ends in ? may be missing: the kernel may
# have it built in.
sb_find_modules() {	# sb_find_modules NAME[?],... JOB
	local name release base count=0 word file rest optional
	local -a names
	IFS=, read -r -a names <<<"$1"
	mkdir "$2/ko"
	base=${kernel_image##*/}
	release=${base#vmlinuz-}
	base=$(realpath -m -- "${kernel_image%/*}/..")
	for name in "${names[@]}"; do
		optional=
		[[ $name != *\? ]] || optional=1 name=${name%\?}
		# A kernel of ours keeps its modules, which depend on nothing, beside the image.
		file=${kernel_image%/*}/modules/$name.ko
		if [ -f "$file" ]; then
			cp -- "$file" "$2/ko/$name.ko"
			printf '/job/ko/%s.ko\n' "$name" >>"$2/modules"
			continue
		fi
		[ -z "$optional" ] || [ -n "$(find "$base/lib/modules/$release" -name "$name.ko*" 2>/dev/null)" ] || continue
		[ -d "$base/lib/modules/$release" ] ||
			sb_die "$SB_USAGE" "--modules: no module '$name' of $kernel_image"
		# A package that was only unpacked lacks the index.
		[ -f "$base/lib/modules/$release/modules.dep" ] || /sbin/depmod -b "$base" "$release"
		/sbin/modprobe -d "$base" -S "$release" --show-depends "$name" >"$2/depends" ||
			sb_die "$SB_USAGE" "--modules: no module '$name' of $kernel_image"
		while read -r word file rest; do
			[ "$word" = insmod ] || continue
			count=$((count + 1))
			rest=$(printf '%03d-%s' "$count" "$(basename "${file%.ko*}").ko")
			case $file in
			*.xz) xz -dc -- "$file" ;;
			*.zst) zstd -dcq -- "$file" ;;
			*.gz) gzip -dc -- "$file" ;;
			*) cat -- "$file" ;;
			esac >"$2/ko/$rest"
			printf '/job/ko/%s\n' "$rest" >>"$2/modules"
		done <"$2/depends"
	done
	rm -f "$2/depends"
}

# What tells one kernel from another of the same name.
sb_kernel_hash() {	# sb_kernel_hash KERNEL
	[ "$1" != host ] || { uname -srv; return; }
	sb_find_kernel "$1"
	sha256sum <"$kernel_image"
}
