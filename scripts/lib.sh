# shellcheck shell=bash
# Shared by the scripts of this folder: messages, and the place of the tree.
# Sourced, never run. Callers set -eu themselves.

# Where it is set, cd may go to, and print, another folder than the one it was told.
unset CDPATH
sb_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# What make install leaves: everything is built, and nothing is written here.
sb_installed=
[ ! -f "$sb_root/installed" ] || sb_installed=1
# Where the programs are: a build of another flavour (sanitizers, static) names its own folder.
# shellcheck disable=SC2034
sb_bin=${STALLBENCH_BIN:-$sb_root}
# Statically linked builds, for guests and for other machines.
# shellcheck disable=SC2034
sb_static=${STALLBENCH_STATIC:-$sb_root/build/static}
# Built kernels, results, and what is kept between clones and runs.
sb_cache=${XDG_CACHE_HOME:-$HOME/.cache}/stallbench
if [ -n "$sb_installed" ]; then
	sb_kernels=${STALLBENCH_KERNELS:-$sb_cache/built}
	sb_results=${XDG_DATA_HOME:-$HOME/.local/share}/stallbench
else
	# shellcheck disable=SC2034
	sb_kernels=${STALLBENCH_KERNELS:-$sb_root/build/kernels}
	# shellcheck disable=SC2034
	sb_results=$sb_root/results
fi
export LC_ALL=C

# The architecture of this machine, by the name of its file in scripts/arch; uname's own where
# there is none.
sb_host_arch() {
	local machine file
	machine=$(uname -m)
	for file in "$sb_root"/scripts/arch/*.sh; do
		! grep -qsx "arch_uname=$machine\(\s.*\)\?" "$file" || machine=$(basename "$file" .sh)
	done
	echo "$machine"
}

# Takes up the architecture of guests: sets sb_arch, and all that scripts/arch/ARCH.sh says.
# Where it is not this machine's, sb_foreign is set (to the same), sb_sysroot is the folder with
# packages of that architecture, and its programs and kernels have folders of their own.
# shellcheck disable=SC2034
sb_use_arch() {	# sb_use_arch [ARCH]
	local host arches
	host=$(sb_host_arch)
	sb_arch=${1:-$host} sb_foreign='' sb_sysroot=''
	# A machine of which nothing is known can still measure itself.
	if [ -z "${1-}" ] && [ ! -f "$sb_root/scripts/arch/$host.sh" ]; then
		arch_qemu=qemu-system-$host arch_debian=$host arch_image=vmlinux
		return
	fi
	if [[ ! $sb_arch =~ ^[A-Za-z0-9_]+$ ]] || [ ! -f "$sb_root/scripts/arch/$sb_arch.sh" ]; then
		arches=("$sb_root"/scripts/arch/*.sh)
		arches=("${arches[@]##*/}")
		sb_die "$SB_USAGE" "--arch: nothing is known of '$sb_arch' (there are: ${arches[*]%.sh})"
	fi
	# shellcheck source=arch/x86_64.sh
	. "$sb_root/scripts/arch/$sb_arch.sh"
	[ "$sb_arch" != "$host" ] || return 0
	[ -f "$sb_root/scripts/arch/$sb_arch.cross.list" ] ||
		sb_die "$SB_USAGE" "--arch $sb_arch: needs a machine of that architecture, and this one is $host"
	# shellcheck source=sysroot.sh
	. "$sb_root/scripts/sysroot.sh"
	sb_foreign=$sb_arch sb_sysroot=$sb_cache/sysroot-$sb_arch
	sb_static=$sb_root/build/$sb_arch/static
	sb_kernels=${STALLBENCH_KERNELS:-$sb_root/build}/$sb_arch/kernels
}

# Exit statuses of every command (see docs/exit-status.md).
# shellcheck disable=SC2034
readonly SB_OK=0 SB_FAILED=1 SB_USAGE=2 SB_SKIPPED=77 SB_INTERRUPTED=130

# The benchmarks there are, a line each.
sb_benches() {
	cat -- "$sb_root/installed" 2>/dev/null ||
		sed -n 's/^BENCHES := //p' "$sb_root/Makefile" | tr ' ' '\n'
}

sb_version() { sed -n 's/^#define SB_VERSION "\(.*\)"$/\1/p' "$sb_root/core/version.h"; }

sb_say() { printf '%s\n' "$*"; }
sb_warn() { printf '%s: warning: %s\n' "${0##*/}" "$*" >&2; }
sb_die() {	# sb_die STATUS MESSAGE...
	local status=$1
	shift
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit "$status"
}

# One row of CSV; fields are quoted where they have to be.
sb_csv_row() {
	local field row=
	for field; do
		case $field in
		*[,\"$'\r\n']* | [$' \t']* | *[$' \t']) field=\"${field//\"/\"\"}\" ;;
		esac
		row+=,$field
	done
	printf '%s\n' "${row#,}"
}

# What a benchmark needs beyond the usual, a word a line: the file BENCH/WHAT of the tree, and
# BENCH/WHAT.PHASE for each phase that is named, or, in the full profile and with none named, for
# every phase.
sb_needs() {	# sb_needs WHAT BENCH PROFILE [PHASE,...]
	local phase files=("$sb_root/$2/$1")
	for phase in ${4//,/ }; do
		files+=("$sb_root/$2/$1.$phase")
	done
	[ "$3${4-}" != full ] || files+=("$sb_root/$2/$1".*)
	cat -- "${files[@]}" 2>/dev/null || true
}

sb_signalled=	# name of the signal that asked this script to stop
sb_child=	# process that sb_supervise waits for

sb_on_signal() {
	# shellcheck disable=SC2034 # for the caller
	sb_signalled=$1
	[ -z "$sb_child" ] || kill -TERM "$sb_child" 2>/dev/null || true
}

# Runs a program to its end, whatever signals come: they are passed on to it as SIGTERM, and
# its status is returned. (A child in the foreground would keep bash from its traps.)
# Afterwards sb_signalled is the name of the signal, or empty, and later signals only set it:
# the caller has time to put things in order. Should this shell be killed, the program gets
# SIGTERM from the kernel.
sb_supervise() {	# sb_supervise PROGRAM...
	local status
	# Asked to stop since an earlier program ended.
	[ -z "$sb_signalled" ] || return "$SB_INTERRUPTED"
	trap 'sb_on_signal INT' INT
	trap 'sb_on_signal TERM' TERM
	trap 'sb_on_signal HUP' HUP
	setpriv --pdeathsig TERM "$@" &
	sb_child=$!
	# One that came before the child was known.
	[ -z "$sb_signalled" ] || sb_on_signal "$sb_signalled"
	# wait returns early when a trap runs; only an ended child says so for good.
	while :; do
		status=0
		wait "$sb_child" || status=$?
		kill -0 "$sb_child" 2>/dev/null || break
	done
	sb_child=
	return "$status"
}

# Draws one picture, as SVG or, by its name, PNG; false, with a warning, if there is none then:
# gnuplot may exit 0 and have written nothing, so what counts is the file. Names go through the
# environment: no quoting inside gnuplot's language.
sb_draw() {	# sb_draw KIND DATA TITLE OUT [WIDTH,HEIGHT]
	local terminal="svg size ${5:-960,540} dynamic background '#ffffff' font 'sans,14'" log
	[[ $4 != *.png ]] || terminal="pngcairo size ${5:-960,540} font 'sans,12'"
	rm -f -- "$4"
	log=$(SB_DATA=$2 SB_BENCH=$3 SB_OUT=$4 SB_TERMINAL=$terminal gnuplot "$sb_root/report/plots/common.gp" \
		"$sb_root/report/plots/$1.gp" 2>&1 </dev/null) || true
	[ -s "$4" ] || { sb_warn "gnuplot did not draw $4: ${log:-it said nothing}"; return 1; }
}
