# shellcheck shell=bash
# Completion for bash. Options come from each program's own --help, so they cannot be out of date;
# names of kernels and benchmarks from the folder the program is in. In a source tree:
# . scripts/completion.bash

# The folder of scripts and kernels that a command belongs to.
_stallbench_root() {	# _stallbench_root COMMAND
	local path dir up
	path=$(type -P -- "${1/#\~/$HOME}") || return
	path=$(readlink -f -- "$path")
	dir=${path%/*}
	for up in "$dir" "$dir/.." "$dir/../lib/stallbench"; do
		[ ! -f "$up/scripts/lib.sh" ] || { printf '%s\n' "$up"; return; }
	done
}

_stallbench_options() {	# _stallbench_options COMMAND [WORD]
	# A line of help begins with its option: "-q, --quiet", "--keys=N", "-k KERNEL".
	"$@" --help 2>/dev/null </dev/null | sed -nE '
		s/^ +(-[A-Za-z]), (--[a-z-]+=?).*/\1 \2/p; t
		s/^ +(--[a-z-]+)\[=.*/\1/p; t
		s/^ +(--?[A-Za-z][a-z-]*=?).*/\1/p'
}

# What an option takes: the words after "=" where --help lists them, as in --profile=quick|full.
_stallbench_choices() {	# _stallbench_choices COMMAND OPTION
	"$1" --help 2>/dev/null </dev/null | sed -nE "s/^ +(-., )?$2[= ]([a-z]+(\|[a-z]+)+).*/\2/p" | tr '|' ' '
}

_stallbench_kernels() {	# _stallbench_kernels ROOT
	local about
	printf '%s\n' host debian
	for about in "$1"/kernels/variants/*/about; do
		about=${about%/about}
		printf '%s\n' "${about##*/}"
	done
}

_stallbench_benches() {	# _stallbench_benches ROOT
	cat -- "$1/installed" 2>/dev/null || sed -n 's/^BENCHES := //p' "$1/Makefile" | tr ' ' '\n'
}

_stallbench_phases() {	# _stallbench_phases ROOT BENCH[:PHASE,...]: with what is typed before
	local bench=${2%%:*} before=${2%"${2##*[:,]}"} phase _
	"$1/$bench/$bench" --list-phases 2>/dev/null </dev/null | while read -r phase _; do
		printf '%s\n' "$before$phase"
	done
}

_stallbench_reply() {	# _stallbench_reply WORDS: those that begin with what is typed
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_stallbench() {
	local cur prev root command=$1 line word
	# Bash takes words apart at : and =, which belong to ours: put the last one together again.
	line=${COMP_LINE:0:COMP_POINT}
	cur=${line##*[[:blank:]]}
	line=${line%"$cur"}
	line=${line%"${line##*[![:blank:]]}"}
	prev=${line##*[[:blank:]]}
	[[ " $line " != *" -- "* ]] || return 0
	[[ $cur != --*=* ]] || prev=${cur%%=*} cur=${cur#*=}
	root=$(_stallbench_root "$command")
	COMPREPLY=()
	case ${command##*/}:$prev in
	*:-k) _stallbench_reply "$(_stallbench_kernels "$root")" ;;
	*:-b)
		if [[ $cur == *:* ]]; then
			_stallbench_reply "$(_stallbench_phases "$root" "$cur")"
		else
			_stallbench_reply "$(_stallbench_benches "$root")"
		fi
		;;
	*:--phase) _stallbench_reply "$("$command" --list-phases 2>/dev/null | cut -f 1)" ;;
	*:-p | *:--profile) _stallbench_reply "quick standard full" ;;
	*:--accel) _stallbench_reply "auto kvm tcg" ;;
	*:-o | *:--resume | *:--hosts | *:--csv | *:--hist | *:--env | *:--events | *:--out | *:--plot | *:--tree | *:--log | *:--source)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		;;
	*:--kernel | *:--variant) _stallbench_reply "$(_stallbench_kernels "$root")" ;;
	*:--format) _stallbench_reply "text commit csv json" ;;
	*)
		word=$(_stallbench_choices "$command" "$prev")
		if [ -n "$word" ]; then
			_stallbench_reply "$word"
		elif [[ $cur == -* ]]; then
			_stallbench_reply "$(_stallbench_options "$command")"
		elif [[ ${command##*/} == *build-kernel || ${command##*/} == *boot-kernel ]]; then
			_stallbench_reply "$(_stallbench_kernels "$root")"
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi
		;;
	esac
	# A value of --option=value that was completed to nothing yet wants no blank behind it.
	[ ${#COMPREPLY[@]} -ne 1 ] || [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
	# Only the part after the last : or = is replaced on the command line.
	if [[ $cur == *[:=]* ]] && [[ $COMP_WORDBREAKS == *:* ]]; then
		COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*[:=]}"}"}")
	fi
}

complete -F _stallbench stallbench stallbench-compare stallbench-plot stallbench-build-kernel \
	stallbench-boot-kernel stallbench-bisect keygcbench dentrybench srcubench benchcmp \
	run-all.sh build-kernel boot-kernel bisect
