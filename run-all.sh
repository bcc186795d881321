#!/usr/bin/env bash
# The main job: plan -> cells -> results.csv -> summary -> tables and plots.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/scripts/lib.sh"
# shellcheck source=scripts/find-kernel.sh
. "$sb_root/scripts/find-kernel.sh"
# shellcheck source=scripts/sweep.sh
. "$sb_root/scripts/sweep.sh"
# shellcheck source=scripts/hosts.sh
. "$sb_root/scripts/hosts.sh"
# shellcheck source=scripts/slurm.sh
. "$sb_root/scripts/slurm.sh"
# shellcheck source=scripts/run-folder.sh
. "$sb_root/scripts/run-folder.sh"
# shellcheck source=scripts/run-cells.sh
. "$sb_root/scripts/run-cells.sh"

sb_program=${STALLBENCH_PROGRAM:-./run-all.sh}
usage() {
	cat <<EOF
Usage: $sb_program [OPTION...] [-- BENCHMARK OPTIONS]
Installs what is missing, builds, runs benchmarks on kernels, and prints their tables.

  -k KERNEL          kernel to measure; may be repeated (default: host, the running one). A
                     variant (see --list), a variant@flavour, a kernel image, a kernel source tree,
                     FOLDER-OR-TARBALL:NAME of what make dist packed (needs no compiler), or
                     debian (its current cloud kernel), each with boot parameters of its own
                     if +PARAM=VALUE is added. All but host boot under QEMU.
  --sweep PARAM=V1,V2,...  each kernel once with each value; PARAM is MODULE.NAME or
                     sysctl.NAME. Several multiply; P1,P2=V1,... sets both to the same value
  -b BENCH[:PHASE,...]  benchmark, and its phases; may be repeated (default: all)
  -p PROFILE         how much, how often: quick (default; 50,000 keys, 300,000 names, 300 pairs
                     of slot changes), standard (200,000, 1,000,000, 2,000) or full
                     (1,000,000, 10,000,000, 2,000); docs/words.md
  -n BOOTS           boots per kernel and benchmark (runs, on the host)
  -o DIR             folder for the results (default: a new one in results/)
  --resume DIR       go on with an interrupted run: finished cells are kept
  --virtual-time     guests' clocks count instructions: repeatable to the byte (the default
                     where KVM does not really work)
  --real-time        guests' clocks are the machine's
  --accel ACCEL      auto (default), kvm or tcg
  --arch ARCH        of guests: x86_64 or arm64 (default: this machine's; others are emulated)
  -j JOBS            cells at once, in virtual time (default: one per CPU)
  -m MEMORY          of a guest (default: 1G; 3G with -p full)
  --cpus N           of a guest, in real time (default: 1)
  --hosts FILE       run the cells on these machines, over ssh: [JOBS/][USER@]HOST a line
  --slurm[=OPTIONS]  run the cells as an array job of a Slurm cluster; OPTIONS for sbatch
  --dry-run          print the plan and an estimate, and stop (first installs and builds what
                     is needed to check the arguments)
  --list             print the benchmarks with their phases, and the kernels, and stop
  --no-install       name what is missing instead of installing it
  --no-plots         no pictures
  --ktap             KTAP on standard output, and all that people read on standard error

Everything after -- goes to the benchmark (see its --help; name that one benchmark with -b).
Exit: 0 all passed, 1 a cell failed, 2 usage or environment, 77 everything skipped,
130 interrupted.
EOF
}

benches_all=()
mapfile -t benches_all < <(sb_benches)

parse() {
	kernels=() benches=() profile=quick boots='' out='' resume='' dry_run='' list='' plots=1
	ktap='' hosts='' slurm='' slurm_words=()
	options=() clock='' arch='' accel=auto jobs='' memory='' cpus=1 sweeps=()
	while [ $# -gt 0 ]; do
		case $1 in
		-k | -b | -p | -n | -o | -j | -m | --resume | --arch | --accel | --cpus | --sweep | --hosts)
			[ $# -ge 2 ] || sb_die "$SB_USAGE" "$1 needs a value (see --help)"
			;;
		esac
		case $1 in
		-k) kernels+=("$2"); shift ;;
		-b) benches+=("$2"); shift ;;
		-p) profile=$2; shift ;;
		-n) boots=$2; shift ;;
		-o) out=$2; shift ;;
		-j) jobs=$2; shift ;;
		-m) memory=$2; shift ;;
		--cpus) cpus=$2; shift ;;
		--sweep) sweeps+=("$2"); shift ;;
		--arch) arch=$2; shift ;;
		--accel) accel=$2; shift ;;
		--virtual-time) clock=virtual ;;
		--real-time) clock=real ;;
		--resume) resume=$2; shift ;;
		--dry-run) dry_run=1 ;;
		--list) list=1 ;;
		--no-install) export NO_INSTALL=1 ;;
		--no-plots) plots= ;;
		--ktap) ktap=1 ;;
		--hosts) hosts=$2; shift ;;
		--slurm) slurm=1 ;;
		--slurm=*) slurm=1; read -r -a slurm_words <<<"${1#*=}" ;;
		-h | --help) usage; exit 0 ;;
		--) shift; options=("$@"); break ;;
		*) sb_die "$SB_USAGE" "unknown argument '$1' (see --help)" ;;
		esac
		shift
	done
}

number() {	# number OPTION VALUE
	[[ $2 =~ ^[1-9][0-9]{0,3}$ ]] || sb_die "$SB_USAGE" "$1: '$2' is not a number from 1 to 9999"
}

check_arguments() {
	case $profile in
	quick | standard | full) ;;
	*) sb_die "$SB_USAGE" "-p: '$profile' is none of quick, standard, full" ;;
	esac
	case $accel in
	auto | kvm | tcg) ;;
	*) sb_die "$SB_USAGE" "--accel: '$accel' is none of auto, kvm, tcg" ;;
	esac
	[ -z "$boots" ] || number -n "$boots"
	[ -z "$jobs" ] || number -j "$jobs"
	number --cpus "$cpus"
	[ -z "$hosts" ] || [ -z "$slurm" ] || sb_die "$SB_USAGE" "--hosts and --slurm: one of them"
	jobs_asked=$jobs
	[ ${#kernels[@]} -gt 0 ] || kernels=(host)
	for sweep in "${sweeps[@]}"; do check_sweep "$sweep"; done
	[ ${#benches[@]} -gt 0 ] || benches=("${benches_all[@]}")
}

# Nothing that sudo made stays root's: neither the results nor what was built.
# shellcheck disable=SC2317 # the exit trap
give_back() {
	local path
	[ -n "${SUDO_UID-}" ] || return 0
	[ -z "${claimed-}" ] || chown -R "$SUDO_UID:${SUDO_GID-}" "$out" || true
	[ -z "$sb_installed" ] || return 0
	for path in "$sb_root/build" "$sb_results" "$sb_root"/{*bench/*bench,report/benchcmp,guest/guestrun}; do
		[ ! -e "$path" ] || chown -R "$SUDO_UID:${SUDO_GID-}" "$path" || true
	done
}

parse "$@"
trap give_back EXIT
if [ -n "$resume" ]; then
	[ -s "$resume/arguments" ] || sb_die "$SB_USAGE" "$resume holds no run to go on with"
	again=$resume again_ktap=$ktap again_hosts=$hosts
	mapfile -d '' -t saved <"$again/arguments"
	parse "${saved[@]}"
	out=$again resume=1 ktap=${again_ktap:-$ktap}
	# Other machines may be named; else those the run was begun with.
	[ -z "$hosts" ] || hosts=$out/machines
	hosts=${again_hosts:-$hosts}
fi
check_arguments
sb_use_arch "$arch"
if [ -n "$sb_foreign" ]; then
	[[ " ${kernels[*]} " != *" host "* ]] ||
		sb_die "$SB_USAGE" "--arch $sb_arch: the running kernel is none of that (-k)"
	[ "$accel" != kvm ] || sb_die "$SB_USAGE" "--accel kvm: KVM here does not run $sb_arch"
	[ -z "$hosts$slurm" ] ||
		sb_die "$SB_USAGE" "--arch $sb_arch: guests of another architecture run on this machine alone, not with --hosts or --slurm"
	[ -z "$sb_installed" ] ||
		sb_die "$SB_USAGE" "--arch $sb_arch: only from the sources; no programs for its guests are installed"
	accel=tcg
fi
if [ -n "$ktap" ]; then
	# Nothing but KTAP is written there from now on.
	exec {ktap_out}>&1 >&2
fi
if [ ${#sweeps[@]} -gt 0 ]; then
	sb_sweep "${kernels[@]}" -- "${sweeps[@]}"
	kernels=("${points[@]}")
fi
guests=
for kernel in "${kernels[@]}"; do
	[ "$kernel" = host ] || guests=1
	[ "$kernel" != host ] || [ -z "$hosts$slurm" ] ||
		sb_die "$SB_USAGE" "--hosts, --slurm: the running kernel is another one on each machine (-k)"
done
hosts_settings
[ -z "$hosts" ] || hosts_read "$hosts"

# Groups of packages that benchmarks and phases need on top.
mapfile -t groups < <(for spec in "${benches[@]}"; do
	[ "$spec" = "${spec%%:*}" ] && phases='' || phases=${spec#*:}
	sb_needs deps "${spec%%:*}" "$profile" "$phases"
done)
sb_dist_tools "${kernels[@]}"
deps=(run ${hosts:+hosts} "${groups[@]}")
if [ -n "$dist_tools" ]; then
	deps+=(boot)
else
	[ -n "$sb_installed" ] || deps+=(build)
	deps+=(${guests:+guest})
fi
"$sb_root/scripts/deps" --quiet --arch "$sb_arch" "${deps[@]}"
# Tables and CSV come without pictures, too.
[ -z "$plots" ] || "$sb_root/scripts/deps" --quiet plot || plots=
if [ -z "$sb_installed" ] && [ "$sb_bin" = "$sb_root" ]; then
	make -s -C "$sb_root" all || sb_die "$SB_USAGE" "the build failed"
fi
if [ -n "$guests" ] && [ -z "$dist_tools$sb_installed" ]; then
	static=(-s -C "$sb_root" ${sb_foreign:+ARCH="$sb_arch"} static)
	make "${static[@]}" 2>/dev/null || make "${static[@]}" ||
		sb_die "$SB_USAGE" "the build of the guests' programs failed"
fi
if [ -n "$hosts" ]; then
	hosts_guestrun=${dist_tools:+$dist_tools/bin/guest/guestrun}
	: "${hosts_guestrun:=$sb_static/guest/guestrun}"
	[ -n "$dist_tools$sb_installed" ] || make -s -C "$sb_root" dist-programs 2>/dev/null ||
		sb_die "$SB_USAGE" "the build of the programs for other machines failed"
fi

if [ -n "$list" ]; then
	sb_say "benchmarks and phases:"
	for bench in "${benches_all[@]}"; do
		"$sb_bin/$bench/$bench" --list-phases | while IFS=$'\t' read -r phase help; do
			printf '  %-12s %-16s %s\n' "$bench" "$phase" "$help"
		done
	done
	sb_say "kernels:"
	printf '  %-18s %s\n' host "the running one, $(uname -r)"
	for about in "$sb_variants"/*/about; do
		variant=${about%/about}
		printf '  %-18s %s\n' "${variant##*/}" "$(head -n 1 "$about")"
	done
	exit 0
fi

# Names, phases and options are checked by the benchmarks themselves, before anything runs.
named=' '
for spec in "${benches[@]}"; do
	bench=${spec%%:*}
	[[ $named != *" $bench "* ]] || sb_die "$SB_USAGE" "-b: $bench is named twice (phases are joined by commas)"
	named+="$bench "
	[[ " ${benches_all[*]} " == *" $bench "* ]] || sb_die "$SB_USAGE" "-b: no benchmark '$bench' (see --list)"
	check=(--profile "$profile" "${options[@]}")
	[ "$spec" = "$bench" ] || check+=(--phase "${spec#*:}")
	"$sb_bin/$bench/$bench" "${check[@]}" --list-phases >/dev/null || exit "$SB_USAGE"
done

# Makes sure that a kernel is there, and sets name (for folders and rows) and spec (for
# boot-kernel, which may be called from another folder).
resolve_kernel() {	# resolve_kernel KERNEL[+PARAM=VALUE...]
	local point_kernel point_parameters parameters
	sb_split_point "$1"
	parameters=${1#"$point_kernel"}
	[ -z "$parameters" ] || [ "$point_kernel" != host ] ||
		sb_die "$SB_USAGE" "-k $1: the running kernel has its parameters already"
	resolve_image "$point_kernel"
	spec+=$parameters name+=$parameters
}

resolve_image() {	# resolve_image KERNEL
	spec=$1 name=$1
	[ "$1" != host ] || return 0
	if [ -d "$1" ] && [[ $1 == */* ]]; then
		[ -f "$1/Kconfig" ] || sb_die "$SB_USAGE" "-k $1: a folder, but no kernel source tree"
		# Never the name of a variant, nor host or debian.
		name=tree-$(basename -- "$(realpath -- "$1")") spec=$name
		[ -n "$dry_run" ] || "$sb_root/scripts/build-kernel" --arch "$sb_arch" --source "$1" --as "$name" baseline ||
			exit "$SB_USAGE"
	elif [[ $1 != */* ]] && [ -d "$sb_variants/${1%%@*}" ]; then
		# Always: it costs a second when nothing has changed, and a stale kernel costs more.
		if [ -z "$dry_run" ] && [ -z "${built[$1]-}" ]; then
			"$sb_root/scripts/build-kernel" --arch "$sb_arch" "$1" || exit "$SB_USAGE"
			built[$1]=1
		fi
	fi
	# A plan needs no kernel that would have to be built or fetched first.
	if [ -n "$dry_run" ] && { [ "$1" = debian ] || [ -d "$sb_variants/${1%%@*}" ] || [ -d "$1" ]; }; then
		return 0
	fi
	sb_find_kernel "$spec"
	"$sb_bin/guest/guestrun" --arch "$sb_arch" --check "$kernel_image" || exit "$SB_USAGE"
	spec=$kernel_spec
	# A name becomes a folder, and a field that scripts split at commas.
	[ -z "$kernel_name" ] || name=${kernel_name//[!A-Za-z0-9._@+=~-]/_}
}

names=() specs=()
declare -A built=()	# variants that are up to date, since sweep points share them
for kernel in "${kernels[@]}"; do
	resolve_kernel "$kernel"
	[[ " ${names[*]-} " != *" $name "* ]] || sb_die "$SB_USAGE" "-k $kernel: named twice"
	names+=("$name") specs+=("$spec")
done

# Guests count instructions where KVM does not work, for real time under emulation says little.
if [ -n "$guests" ] && [ -z "$clock$dry_run$hosts$slurm" ]; then
	for spec in "${specs[@]}"; do
		[ "$spec" != host ] || continue
		accel=$("$sb_root/scripts/boot-kernel" --arch "$sb_arch" --accel "$accel" --which-accel "$spec" -- true) ||
			exit "$SB_USAGE"
		break
	done
	clock=virtual
	[ "$accel" != kvm ] || clock=real
fi
: "${clock:=$([ -n "$guests" ] && echo virtual || echo real)}"
[ "$clock$accel" != virtualkvm ] || sb_die "$SB_USAGE" "virtual time needs tcg: KVM does not count instructions"
[ "$clock" != virtual ] || [ "$cpus" = 1 ] ||
	sb_die "$SB_USAGE" "virtual time has one CPU, not $cpus (--real-time)"
case $profile-$clock in
quick-*) : "${boots:=1}" "${memory:=1G}" ;;
standard-virtual) : "${boots:=1}" "${memory:=1G}" ;;
standard-real) : "${boots:=5}" "${memory:=1G}" ;;
full-virtual) : "${boots:=3}" "${memory:=3G}" ;;
full-real) : "${boots:=10}" "${memory:=3G}" ;;
esac
# Cells in real time would disturb each other, and the host's are always in real time.
if [ "$clock" = real ] || [[ " ${names[*]} " == *" host "* ]]; then
	jobs=1
fi
: "${jobs:=$(nproc)}"
guest_options=(--arch "$sb_arch" --accel "$accel" "--$clock-time" -m "$memory")
[ "$clock" = virtual ] || guest_options+=(--cpus "$cpus")

# Boots of different kernels take turns, so that a drifting machine hits all alike.
plan() {
	sb_csv_row cell kernel bench boot
	for ((boot = 1; boot <= boots; boot++)); do
		for spec in "${benches[@]}"; do
			for name in "${names[@]}"; do
				bench=${spec%%:*}
				sb_csv_row "cells/$name/$bench/boot$boot" "$name" "$bench" "$boot"
			done
		done
	done
}

# What a cell does; how long it takes depends on that.
work() { echo "$profile ${benches[*]}${options[*]:+ -- ${options[*]}}"; }

announce() {	# announce CELLS
	estimate=$("$sb_bin/report/benchcmp" estimate "$sb_results" "$(work)" "$clock" "$1" "$jobs")
	sb_say "cells: $1, $jobs at once${guests:+, guests in $clock time}; $estimate"
}

if [ -n "$dry_run" ]; then
	plan
	announce $((boots * ${#benches[@]} * ${#names[@]}))
	exit 0
fi

if [ -n "$hosts" ]; then
	hosts_check
	jobs=0
	for host in "${hosts_usable[@]}"; do jobs=$((jobs + ${host%%/*})); done
elif [ -n "$slurm" ]; then
	slurm_check $((boots * ${#benches[@]} * ${#names[@]}))
fi

finished() {
	case $(cat "$out/$1/status" 2>/dev/null) in
	pass | fail | skip | timeout | panic | splat) return 0 ;;
	*) return 1 ;;
	esac
}

[ -n "$resume" ] || start_run "$@"
[ -s "$out/plan.csv" ] || sb_die "$SB_USAGE" "$out holds no finished plan: start anew"
out=$(cd "$out" && pwd)
[ -z "$resume" ] || same_kernels
[ -z "$resume" ] || claim_folder
[ -z "$resume" ] || slurm_earlier
todo=()
while IFS=, read -r cell kernel bench boot; do
	finished "$cell" || todo+=("$cell" "$kernel" "$bench" "$boot")
done < <(tail -n +2 "$out/plan.csv")

[ ! -t 2 ] || export STALLBENCH_TTY=1
# Guests end with this process, even when it is killed.
export STALLBENCH_OWNER=$$
[ ${#todo[@]} -eq 0 ] || run_cells
exec 9>&-
flock --wait 60 "$out/lock" true || sb_warn "cells of this run are still at work"
end=finished
[ -z "$sb_signalled" ] || end=interrupted
sb_csv_row "end_$end" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" >>"$out/run.csv"

{
	sb_csv_row cell step seconds
	while IFS=, read -r cell _; do
		[ ! -s "$out/$cell/timing.csv" ] || CELL=$cell awk 'NR > 1 { print ENVIRON["CELL"] "," $0 }' "$out/$cell/timing.csv"
	done < <(tail -n +2 "$out/plan.csv")
} >"$out/timing.csv"
"$sb_bin/report/benchcmp" summary "$out" "$sb_root/results/reference" || sb_die "$SB_FAILED" "no tables; the cells' own files are in $out/cells"
[ -z "$plots" ] || "$sb_root/scripts/plot" "$out" || sb_warn "pictures are missing; tables and CSV are complete"
"$sb_bin/report/benchcmp" html "$out" "$sb_root/results/reference" || sb_warn "no report.html; tables and CSV are complete"

[ -z "$ktap" ] || "$sb_bin/report/benchcmp" ktap "$out" "$sb_root/results/reference" >&"$ktap_out" ||
	sb_die "$SB_FAILED" "no KTAP; tables and CSV are complete"
cat "$out/tables.txt"
sb_say ""
sb_say "results: $out (report.html holds all of it)"
if [ -n "$sb_signalled" ]; then
	sb_say "interrupted: $sb_program --resume $(printf %q "$out") goes on with it"
	exit "$SB_INTERRUPTED"
fi
ends=$(while IFS=, read -r cell _; do cat "$out/$cell/status" 2>/dev/null || echo incomplete; done < <(tail -n +2 "$out/plan.csv") | sort -u)
case $ends in
skip) exit "$SB_SKIPPED" ;;
pass | pass$'\n'skip) exit "$SB_OK" ;;
*) exit "$SB_FAILED" ;;
esac
