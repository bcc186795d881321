#!/usr/bin/env bash
# The main job: plan -> cells -> results.csv -> summary -> tables and plots.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/scripts/lib.sh"

usage() {
	cat <<EOF
Usage: ./run-all.sh [OPTION...] [-- BENCHMARK OPTIONS]
Installs what is missing, builds, runs benchmarks on kernels, and prints their tables.

  -k KERNEL          kernel to measure; may be repeated (default: host, the running one)
  -b BENCH[:PHASE,...]  benchmark, and its phases; may be repeated (default: all)
  -p PROFILE         quick (default), standard or full: how much, how often
  -n BOOTS           boots per kernel and benchmark (runs, on the host)
  -o DIR             folder for the results (default: a new one in results/)
  --resume DIR       go on with an interrupted run: finished cells are kept
  --dry-run          print the plan and stop
  --list             print the benchmarks with their phases, and the kernels, and stop
  --no-install       name what is missing instead of installing it
  --no-plots         no pictures

Everything after -- goes to the benchmark (see keygcbench --help).
Exit: 0 all passed, 1 a cell failed, 2 usage or environment, 77 everything skipped,
130 interrupted.
EOF
}

benches_all=()
mapfile -t benches_all < <(sed -n 's/^BENCHES := //p' "$sb_root/Makefile" | tr ' ' '\n')

parse() {
	kernels=() benches=() profile=quick boots='' out='' resume='' dry_run='' list='' plots=1
	options=()
	while [ $# -gt 0 ]; do
		case $1 in
		-k | -b | -p | -n | -o | --resume)
			[ $# -ge 2 ] || sb_die "$SB_USAGE" "$1 needs a value (see --help)"
			;;
		esac
		case $1 in
		-k) kernels+=("$2"); shift ;;
		-b) benches+=("$2"); shift ;;
		-p) profile=$2; shift ;;
		-n) boots=$2; shift ;;
		-o) out=$2; shift ;;
		--resume) resume=$2; shift ;;
		--dry-run) dry_run=1 ;;
		--list) list=1 ;;
		--no-install) export NO_INSTALL=1 ;;
		--no-plots) plots= ;;
		-h | --help) usage; exit 0 ;;
		--) shift; options=("$@"); break ;;
		*) sb_die "$SB_USAGE" "unknown argument '$1' (see --help)" ;;
		esac
		shift
	done
}

parse "$@"
if [ -n "$resume" ]; then
	[ -s "$resume/arguments" ] || sb_die "$SB_USAGE" "$resume holds no run to go on with"
	again=$resume
	mapfile -d '' -t saved <"$again/arguments"
	parse "${saved[@]}"
	out=$again resume=1
fi

case $profile in
quick) : "${boots:=1}" ;;
standard) : "${boots:=5}" ;;
full) : "${boots:=10}" ;;
*) sb_die "$SB_USAGE" "-p: '$profile' is none of quick, standard, full" ;;
esac
[[ $boots =~ ^[1-9][0-9]{0,3}$ ]] || sb_die "$SB_USAGE" "-n: '$boots' is not a number from 1 to 9999"
[ ${#kernels[@]} -gt 0 ] || kernels=(host)
[ ${#benches[@]} -gt 0 ] || benches=("${benches_all[@]}")
for kernel in "${kernels[@]}"; do
	[ "$kernel" = host ] || sb_die "$SB_USAGE" "-k: no kernel '$kernel' (see --list)"
done

"$sb_root/scripts/deps" --quiet build run
# Tables and CSV come without pictures, too.
[ -z "$plots" ] || "$sb_root/scripts/deps" --quiet plot || plots=
if [ "$sb_bin" = "$sb_root" ]; then
	make -s -C "$sb_root" all || sb_die "$SB_USAGE" "the build failed"
fi

if [ -n "$list" ]; then
	sb_say "benchmarks and phases:"
	for bench in "${benches_all[@]}"; do
		"$sb_bin/$bench/$bench" --list-phases | while IFS=$'\t' read -r phase help; do
			printf '  %-12s %-16s %s\n' "$bench" "$phase" "$help"
		done
	done
	sb_say "kernels:"
	printf '  %-12s %s\n' host "the running one, $(uname -r)"
	exit 0
fi

# Names, phases and options are checked by the benchmarks themselves, before anything runs.
for spec in "${benches[@]}"; do
	bench=${spec%%:*}
	[[ " ${benches_all[*]} " == *" $bench "* ]] || sb_die "$SB_USAGE" "-b: no benchmark '$bench' (see --list)"
	check=(--profile "$profile" "${options[@]}")
	[ "$spec" = "$bench" ] || check+=(--phase "${spec#*:}")
	"$sb_bin/$bench/$bench" "${check[@]}" --list-phases >/dev/null || exit "$SB_USAGE"
done

# Boots of different kernels take turns, so that a drifting machine hits all alike.
plan() {
	sb_csv_row cell kernel bench boot
	for ((boot = 1; boot <= boots; boot++)); do
		for spec in "${benches[@]}"; do
			for kernel in "${kernels[@]}"; do
				bench=${spec%%:*}
				sb_csv_row "cells/$kernel/$bench/boot$boot" "$kernel" "$bench" "$boot"
			done
		done
	done
}

if [ -n "$dry_run" ]; then
	plan
	exit 0
fi

new_folder() {
	local base try=1
	base=$sb_root/results/$(date -u +%Y%m%dT%H%M%SZ)-$profile
	out=$base
	mkdir -p "$sb_root/results"
	until mkdir "$out" 2>/dev/null; do
		try=$((try + 1))
		[ "$try" -lt 100 ] || sb_die "$SB_USAGE" "cannot make a folder in $sb_root/results"
		out=$base-$try
	done
}

start_run() {
	if [ -z "$out" ]; then
		new_folder
	elif [ -e "$out/plan.csv" ]; then
		sb_die "$SB_USAGE" "$out already holds a run: --resume it, or name another folder"
	fi
	if ! mkdir -p "$out/phases" 2>/dev/null || [ ! -w "$out" ]; then
		sb_die "$SB_USAGE" "cannot write to $out"
	fi
	plan >"$out/plan.csv"
	printf '%s\0' -p "$profile" "$@" >"$out/arguments"
	: >"$out/bench-options"
	[ ${#options[@]} -eq 0 ] || printf '%s\0' "${options[@]}" >"$out/bench-options"
	printf '%s\n' "$profile" >"$out/profile"
	for spec in "${benches[@]}"; do
		bench=${spec%%:*}
		[ "$spec" = "$bench" ] || printf '%s\n' "${spec#*:}" >"$out/phases/$bench"
	done
	for bench in "${benches_all[@]}"; do
		"$sb_bin/$bench/$bench" --list-metrics
	done | awk 'NR == 1 || !/^bench,metric,/' >"$out/metrics.csv"
	{
		sb_csv_row key value
		sb_csv_row command_line "./run-all.sh${*:+$(printf ' %q' "$@")}"
		sb_csv_row profile "$profile"
		sb_csv_row host "$(uname -srm)"
		sb_csv_row parallel "$(parallel --version | head -n 1)"
		sb_csv_row start "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
	} >"$out/run.csv"
}

finished() {
	case $(cat "$out/$1/status" 2>/dev/null) in
	pass | fail | skip | timeout | panic | splat) return 0 ;;
	*) return 1 ;;
	esac
}

[ -n "$resume" ] || start_run "$@"
out=$(cd "$out" && pwd)

todo=()
while IFS=, read -r cell kernel bench boot; do
	finished "$cell" || todo+=("$cell" "$kernel" "$bench" "$boot")
done < <(tail -n +2 "$out/plan.csv")

[ ! -t 2 ] || export STALLBENCH_TTY=1
if [ ${#todo[@]} -gt 0 ]; then
	# Whatever the run starts inherits the lock. It shows when all of it has ended.
	exec 9>"$out/lock"
	flock --wait 30 9 || sb_die "$SB_USAGE" "another run is at work in $out"
	printf '%s\0' "${todo[@]}" >"$out/todo"
	# Killed, parallel leaves its jobs behind; the kernel tells them, and they clean up.
	sb_supervise parallel --plain --will-cite --quote --null --arg-file "$out/todo" \
		--max-args 4 --jobs 1 --joblog "+$out/joblog" --line-buffer \
		setpriv --pdeathsig TERM "$sb_root/scripts/run-cell" "$out" \
		'{1}' '{2}' '{3}' '{4}' '{#}/'"$((${#todo[@]} / 4))" || true
	exec 9>&-
	trap - INT TERM HUP
	flock --wait 60 "$out/lock" true || sb_warn "cells of this run are still at work"
fi
end=finished
[ -z "$sb_signalled" ] || end=interrupted
sb_csv_row "end_$end" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" >>"$out/run.csv"

{
	sb_csv_row cell step seconds
	while IFS=, read -r cell _; do
		[ ! -s "$out/$cell/timing.csv" ] || sed "1d;s|^|$cell,|" "$out/$cell/timing.csv"
	done < <(tail -n +2 "$out/plan.csv")
} >"$out/timing.csv"
"$sb_bin/report/benchcmp" summary "$out" || sb_die "$SB_FAILED" "no tables; the cells' own files are in $out/cells"
[ -z "$plots" ] || "$sb_root/scripts/plot" "$out" || sb_warn "pictures are missing; tables and CSV are complete"
if [ -n "${SUDO_UID-}" ]; then
	chown -R "$SUDO_UID:${SUDO_GID-}" "$out"
fi

cat "$out/tables.txt"
sb_say ""
sb_say "results: $out"
if [ -n "$sb_signalled" ]; then
	sb_say "interrupted: ./run-all.sh --resume $(printf %q "$out") goes on with it"
	exit "$SB_INTERRUPTED"
fi
words=$(while IFS=, read -r cell _; do cat "$out/$cell/status" 2>/dev/null || echo incomplete; done < <(tail -n +2 "$out/plan.csv") | sort -u)
case $words in
skip) exit "$SB_SKIPPED" ;;
pass | pass$'\n'skip) exit "$SB_OK" ;;
*) exit "$SB_FAILED" ;;
esac
