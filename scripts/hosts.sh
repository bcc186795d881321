# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # what lib.sh and run-all.sh set or use
# Cells on other machines, over ssh: which machines can be used, and what they are given. Sourced by
# run-all.sh, never run.
#
# A machine is given a kit once: the scripts that run a cell, static programs, kernels, initramfs, in
# a folder named after the content. Each run has a folder of its own beside it, with what run-cell
# reads of a run; GNU parallel fetches the cells' folders from there.

readonly hosts_kits=.cache/stallbench/kits hosts_runs=.cache/stallbench/runs

# A machine that is gone is noticed within a minute, one that is not there within ten seconds.
hosts_ssh() {	# hosts_ssh HOST COMMAND...
	local words
	read -r -a words <<<"$hosts_ssh_command"
	"${words[@]}" -- "$@"
}

hosts_settings() {
	hosts_ssh_command="${STALLBENCH_SSH:-ssh} -o BatchMode=yes -o ConnectTimeout=10"
	hosts_ssh_command+=" -o ServerAliveInterval=15 -o ServerAliveCountMax=3"
}

# Sets hosts_all, words [N/]LOGIN.
hosts_read() {	# hosts_read FILE
	local line
	hosts_all=()
	[ -f "$1" ] || sb_die "$SB_USAGE" "--hosts: no file '$1'"
	while read -r line || [ -n "$line" ]; do
		line=${line%%#*}
		line=${line%"${line##*[![:space:]]}"}
		[ -n "$line" ] || continue
		[[ $line =~ ^([1-9][0-9]*/)?[A-Za-z0-9_]([A-Za-z0-9_.@%:-]*[A-Za-z0-9_])?$ ]] ||
			sb_die "$SB_USAGE" "--hosts: '$line' is not [JOBS/][USER@]HOST (ports and keys belong into ~/.ssh/config)"
		hosts_all+=("$line")
	done <"$1"
	[ ${#hosts_all[@]} -gt 0 ] || sb_die "$SB_USAGE" "--hosts: $1 names no machine"
}

# Runs there; has to do with any shell.
# shellcheck disable=SC2016
readonly hosts_question='
for tool in bash perl rsync cpio setpriv tar qemu-system-x86_64; do
	command -v $tool >/dev/null 2>&1 || echo "missing $tool"
done
PATH=$PATH:/usr/sbin:/sbin
command -v mkfs.ext4 >/dev/null 2>&1 || echo "missing mkfs.ext4"
echo "cpus $(nproc 2>/dev/null || echo 1)"
echo "machine $(uname -m)"
echo "qemu $(qemu-system-x86_64 --version </dev/null 2>/dev/null | sed -n "1s/^QEMU emulator version //p")"'

# What a machine says of itself: sets host_missing, host_cpus, host_machine, host_qemu. False if it
# does not answer; the reason is in the file.
hosts_ask() {	# hosts_ask HOST FILE
	local word rest answer
	host_missing='' host_cpus=1 host_machine='' host_qemu=''
	answer=$(hosts_ssh "$1" "$hosts_question" 2>"$2" </dev/null) || return 1
	while read -r word rest; do
		case $word in
		missing) host_missing+=" $rest" ;;
		cpus) host_cpus=$rest ;;
		machine) host_machine=$rest ;;
		qemu) host_qemu=$rest ;;
		esac
	done <<<"$answer"
}

# Those that can be used: sets hosts_usable, words JOBS/LOGIN. What is unlike this machine would give
# other figures, so it is refused by name and the run with it; what does not answer is left out.
hosts_check() {
	local host login wanted refused=() said
	said=$(mktemp)
	hosts_usable=()
	wanted=$(qemu-system-x86_64 --version </dev/null | sed -n '1s/^QEMU emulator version //p')
	for host in "${hosts_all[@]}"; do
		login=${host#*/}
		if ! hosts_ask "$login" "$said"; then
			sb_warn "$login does not answer: $(tail -n 1 "$said")"
			continue
		fi
		if [ -n "$host_missing" ]; then
			refused+=("$login lacks$host_missing (scripts/deps boot hosts, there)")
		elif [ "$host_machine" != "$(uname -m)" ]; then
			refused+=("$login is $host_machine, this machine $(uname -m)")
		elif [ "$clock" = virtual ] && [ "$host_qemu" != "$wanted" ]; then
			refused+=("$login has QEMU $host_qemu, this machine $wanted: in virtual time figures would differ")
		else
			[[ $host == */* ]] || host=${jobs_asked:-$host_cpus}/$host
			hosts_usable+=("$host")
		fi
	done
	rm -f "$said"
	if [ ${#refused[@]} -gt 0 ]; then
		printf "%s: --hosts: %s\n" "${0##*/}" "${refused[@]}" >&2
		exit "$SB_USAGE"
	fi
	[ ${#hosts_usable[@]} -gt 0 ] || sb_die "$SB_USAGE" "--hosts: none of the machines answers"
	[ "$clock" = virtual ] || hosts_one
}

# In real time figures of different machines say nothing about kernels: the first that answers has
# all cells, then and after --resume.
hosts_one() {
	local host kept
	kept=${resume:+$(cat "$out/host" 2>/dev/null || true)}
	for host in "${hosts_usable[@]}"; do
		[ -z "$kept" ] || [ "${host#*/}" = "$kept" ] || continue
		hosts_usable=("1/${host#*/}")
		return
	done
	sb_die "$SB_USAGE" "--hosts: $out was begun on $kept, which does not answer: in real time cells stay on one machine"
}

# ---- what they are given ----------------------------------------------------------------------

# Copies an image with what lies beside it, under a name that means nothing: the same wherever the
# kernel came from.
hosts_kernel() {	# hosts_kernel FOLDER (sb_find_kernel has found it)
	local file beside=${kernel_image%/*} modules
	mkdir -p "$1"
	cp -- "$kernel_image" "$1/bzImage"
	for file in cmdline expect modules; do
		[ ! -e "$beside/$file" ] || cp -r -- "$beside/$file" "$1/"
	done
	# Modules of a distribution's kernel are where its package has them.
	modules=$beside/../lib/modules/${kernel_image##*/vmlinuz-}
	if [ -d "$modules" ]; then
		mkdir -p "$1/root/boot" "$1/root/lib/modules"
		cp -r -- "$modules" "$1/root/lib/modules/"
		mv -- "$1/bzImage" "$1/root/boot/${kernel_image##*/}"
		ln -s "root/boot/${kernel_image##*/}" "$1/bzImage"
	fi
}

# A kit, and a run's folder to go with it. Sets hosts_kit to the kit's name.
hosts_pack() {	# hosts_pack FOLDER
	local kit=$1/kit run=$1/run i spec bundle point_kernel point_parameters
	local -A number=()
	mkdir -p "$kit"/{guest,core,kernels/variants,build/kernels,bundles} "$run"/{kernels,cells}
	cp -r -- "$sb_root/scripts" "$kit/"
	cp -- "$sb_root/core/version.h" "$kit/core/"
	cp -- "$sb_root"/guest/console-{patterns,benign} "$kit/guest/"
	cp -- "$hosts_guestrun" "$kit/guest/guestrun"
	for bench in "${benches_all[@]}"; do
		mkdir "$kit/$bench"
		for spec in "$sb_root/$bench"/guest-options*; do
			[ ! -f "$spec" ] || cp -- "$spec" "$kit/$bench/"
		done
	done
	for i in "${!names[@]}"; do
		sb_find_kernel "${specs[i]}"
		[ -n "${number[$kernel_image]-}" ] || {
			number[$kernel_image]=k${#number[@]}
			hosts_kernel "$kit/build/kernels/${number[$kernel_image]}"
		}
		sb_split_point "${specs[i]}"
		printf '%s\n' "${number[$kernel_image]}${specs[i]#"$point_kernel"}" >"$run/kernels/${names[i]}"
	done
	for bundle in $(hosts_bundles); do
		"$sb_root/scripts/make-bundle" "$bundle" "$kit/bundles/$bundle.cpio"
	done
	cp -- "$out/initramfs" "$kit/"
	cp -r -- "$out"/{phases,profile,bench-options,guest-options} "$run/"
	ln -s "../../kits/KIT/initramfs" "$run/initramfs"
	hosts_kit=$(cd "$kit" && { find . -type f -print0 | sort -z | xargs -0 sha256sum; find . -type l -printf '%p %l\n' | sort; } |
		sha256sum | cut -c 1-16)
	ln -sfn "../../kits/$hosts_kit/initramfs" "$run/initramfs"
}

# The bundles that cells will ask for, a word a line.
hosts_bundles() {
	local spec bench
	for spec in "${benches[@]}"; do
		bench=${spec%%:*}
		sb_needs guest-options "$bench" "$profile" "$([ "$spec" = "$bench" ] || echo "${spec#*:}")"
	done | awk 'bundle { print } { bundle = $0 == "--bundle" }' | sort -u
}

hosts_give() {	# hosts_give FOLDER HOST: kit, unless it has it, and run
	local kit=$hosts_kits/$hosts_kit
	# Kits that nobody used for a month make room.
	hosts_ssh "$2" "cd && mkdir -p $hosts_kits $hosts_runs && touch -c $kit &&
		find $hosts_kits $hosts_runs -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} + && test -f $kit/complete" </dev/null ||
		tar -C "$1/kit" -cf - . | hosts_ssh "$2" "cd && rm -rf $kit.$hosts_run && mkdir $kit.$hosts_run &&
			tar -C $kit.$hosts_run -xf - && touch $kit.$hosts_run/complete &&
			{ mv -T $kit.$hosts_run $kit 2>/dev/null || rm -rf $kit.$hosts_run; } && test -f $kit/complete" ||
		return 1
	tar -C "$1/run" -cf - . | hosts_ssh "$2" "cd && mkdir -p $hosts_runs/$hosts_run &&
		tar -C $hosts_runs/$hosts_run -xf -"
}

# ---- the run ----------------------------------------------------------------------------------

# Sees to it that the machines have what they need. Sets hosts_options, for parallel.
hosts_prepare() {
	local work host ready=()
	work=$(mktemp -d)
	hosts_pack "$work"
	hosts_run=$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')
	for host in "${hosts_usable[@]}"; do
		if hosts_give "$work" "${host#*/}"; then
			ready+=("$host")
			[ "$clock" = virtual ] || printf '%s\n' "${host#*/}" >"$out/host"
		else
			sb_warn "${host#*/} could not be given what it needs; it is left out"
		fi
	done
	rm -rf "$work"
	[ ${#ready[@]} -gt 0 ] || sb_die "$SB_USAGE" "--hosts: no machine could be given what it needs"
	hosts_usable=("${ready[@]}")
	printf '%s\n' "${ready[@]}" >"$out/hosts"
	# Another machine has the cell next; each is asked more than once, for it may only be busy.
	hosts_options=(--sshloginfile "$out/hosts" --ssh "$hosts_ssh_command" --jobs 100% --workdir "$hosts_runs/$hosts_run"
		--return '{1}' --retries $((2 * ${#ready[@]} + 2)))
	sb_say "machines: ${ready[*]}"
}

# Nothing of the run stays there but the kit.
hosts_finish() {
	local host
	for host in "${hosts_usable[@]}"; do
		hosts_ssh "${host#*/}" "cd && rm -rf $hosts_runs/$hosts_run" </dev/null 2>/dev/null || true
	done
}
