#!/usr/bin/env bats
# make install: what is installed works from anywhere, its manual pages are sound, bash completes.

# shellcheck disable=SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup_file() {
	load common
	export prefix=$BATS_FILE_TMPDIR/p
	env -u STALLBENCH_BIN make -s -C "$root" install PREFIX="$prefix" DESTDIR= >&2
	[ -n "${STALLBENCH_NO_KERNELS-}" ] || "$root/scripts/build-kernel" baseline >&2
}

setup() {
	load common
	cd "$BATS_TEST_TMPDIR"
	export NO_INSTALL=1 PATH=$prefix/bin:$PATH HOME=$BATS_TEST_TMPDIR
	unset STALLBENCH_BIN XDG_CACHE_HOME XDG_DATA_HOME
}

@test "bin, lib/stallbench, share/stallbench, man: nothing in it points back, nothing is writable by others" {
	[ "$(cd "$prefix" && echo *)" = "bin lib share" ]
	run ! grep -rlF "$root" "$prefix"
	run ! grep -q . <(find "$prefix" -xtype l)
	run ! grep -q . <(find "$prefix" ! -type l -perm /022)
	for program in "$prefix"/bin/*; do
		run -0 "$program" --help
		[[ $output != *run-all.sh* && $output != *scripts/* ]]
	done
}

@test "DESTDIR: the same files, with the paths they will have" {
	env -u STALLBENCH_BIN make -s -C "$root" install PREFIX=/opt/of/mine DESTDIR="$PWD/image"
	diff <(cd "$prefix" && find . | sort) <(cd image/opt/of/mine && find . | sort)
	grep -q '^exec /opt/of/mine/lib/stallbench/run-all.sh ' image/opt/of/mine/bin/stallbench
	run ! grep -rlF "$PWD/image" image
	make -s -C "$root" uninstall PREFIX=/opt/of/mine DESTDIR="$PWD/image"
	run ! grep -q . <(find image ! -type d)
}

@test "an installed tree lists, measures and compares, with results where the user's data are" {
	need_root
	touch now
	run -0 stallbench --list
	[[ $output == *"keygcbench"*"unused"*"kernels:"*"keys-gc-chunks"* ]]
	run -0 stallbench -b dentrybench:positive_lookup --no-plots -n 2 -- --count 1000
	[[ $output == *positive_lookup* ]]
	run=$(echo .local/share/stallbench/*-quick)
	[ -s "$run/report.html" ]
	cd "$run/.."
	run ! stallbench-compare "${run##*/}" nosuch
	[[ $output == *nosuch* ]]
	# Nothing is written into the tree.
	run ! grep -q . <(find "$prefix" -newer "$BATS_TEST_TMPDIR/now")
}

@test "an installed tree boots guests with the programs it has" {
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
	export STALLBENCH_KERNELS=$root/build/kernels
	run -0 stallbench-boot-kernel --virtual-time baseline -- keygcbench --phase unused --keys 100
	[[ $output =~ unused:\ +min= ]]
}

@test "manual pages: no warning, every option of --help is there" {
	for page in "$prefix"/share/man/man?/*; do
		run -0 mandoc -T lint -W warning "$page"
		[ -z "$output" ]
		name=${page##*/}
		[ "$name" != stallbench-files.5 ] || continue
		mandoc -T ascii "$page" | col -b >text
		while read -r option; do
			grep -qE -- "(^| )$option\b" text || { echo "$page: no $option"; false; }
		done < <("$prefix/bin/${name%.1}" --help | grep -oE '^ +(-., )?--?[a-zA-Z][a-z-]*' | grep -oE -- '--?[a-zA-Z][a-z-]*$')
	done
	[ "$(find "$prefix/share/man" -type f | wc -l)" -eq $(($(find "$prefix/bin" ! -type d | wc -l) + 1)) ]
	mandoc -T ascii "$prefix/share/man/man5/stallbench-files.5" | col -b | grep -q 'results.csv.*one row per phase'
}

# As bash does it when somebody types LINE and presses the key.
completions() {	# completions LINE
	local line=$1 word
	# shellcheck source=/dev/null
	. "$prefix/share/bash-completion/completions/stallbench"
	COMP_LINE=$line COMP_POINT=${#line} COMP_WORDS=() COMP_CWORD=0 COMPREPLY=()
	word=${line%% *}
	complete -p "$word" | grep -q -- '-F _stallbench '
	_stallbench "$word"
	printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | sort | tr '\n' ' '
}

@test "completion: options, kernels, benchmarks, phases, values" {
	[[ $(completions "stallbench --vi") == "--virtual-time " ]]
	[[ $(completions "stallbench -") == *"--dry-run "*"--resume "*"-k "* ]]
	[[ $(completions "stallbench -k keys") == "keys-gc-bounded keys-gc-chunks keys-gc-expiry-fix " ]]
	[[ $(completions "stallbench -k ") == *"baseline "*"debian "*"host "* ]]
	[[ $(completions "stallbench -k baseline -b ") == "dentrybench keygcbench srcubench " ]]
	[[ $(completions "stallbench -b keygcbench:un") == "unused " ]]
	[[ $(completions "stallbench -p ") == "full quick standard " ]]
	[[ $(completions "keygcbench --rel") == "--release= " ]]
	[[ $(completions "keygcbench --release=") == "clear invalidate revoke ring unlink " ]]
	[[ $(completions "keygcbench --phase u") == "unused " ]]
	[[ $(completions "stallbench-build-kernel base") == "baseline " ]]
	mkdir runs1 runs2
	[[ $(completions "stallbench-compare runs") == "runs1 runs2 " ]]
	[ "$(completions "stallbench -- --ke")" = " " ] || [ -z "$(completions "stallbench -- --ke" | tr -d ' ')" ]
}

@test "completion in a real shell: two keys on a terminal" {
	command -v script >/dev/null || skip "no script(1)"
	cat >rc <<-EOF
		PATH=$prefix/bin:\$PATH PS1='> '
		. "$prefix/share/bash-completion/completions/stallbench"
		bind 'set bell-style none' 2>/dev/null
	EOF
	printf 'stallbench -k keys-gc-c\t--li\t --no-install | head -n 1\nexit\n' |
		timeout 60 script -qec "bash --noprofile --rcfile $PWD/rc -i" /dev/null >typed 2>&1 || true
	grep -q 'stallbench -k keys-gc-chunks --list' typed
}
