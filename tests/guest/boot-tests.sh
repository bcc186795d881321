# shellcheck shell=bash
# What run-keys and run-dentries share: booting a kernel with one of the tests, and judging what
# came of it. Sourced after lib.sh by scripts that have set kernel, out and quiet.
# shellcheck disable=SC2154

sb_use_arch ''
say() { [ -n "$quiet" ] || sb_say "$@"; }

# Builds the programs and makes the folder.
prepare() {
	[ -f "$sb_kernels/$kernel/$arch_image" ] ||
		sb_die "$SB_USAGE" "$kernel: not built (scripts/build-kernel $kernel)"
	make -s -C "$sb_root" STATIC=1 guest-tests >&2 ||
		sb_die "$SB_USAGE" "the tests do not build (scripts/deps build installs what they need)"
	temporary=$(mktemp -d)
	trap 'rm -rf -- "$temporary"' EXIT
	out=${out:-$temporary/out}
	mkdir -p -- "$out" || sb_die "$SB_USAGE" "cannot make '$out'"
}

# One boot for each, so that what one leaves behind is not held against the other. Ends the
# script if it did not pass. Options of boot-kernel are in the array boot_options.
boot() {	# boot NAME PROGRAM ARGUMENT...
	local test=$1 status=0 word program
	shift
	program=$sb_root/tests/guest/$1	# a script
	[ -f "$program" ] || program=$sb_root/build/static/tests/guest/$1
	rm -rf -- "${out:?}/$test" "$out/$test.log"
	"$sb_root/scripts/boot-kernel" --add "$program" --append "$arch_trust_clock" \
		"${boot_options[@]}" --out "$out/$test" "$kernel" -- "$@" \
		>"$out/$test.log" 2>&1 </dev/null || status=$?
	word=$(cat "$out/$test/status" 2>/dev/null || echo nothing)
	case $status-$word in
	0-pass) [ -n "$quiet" ] || sed 's/^/  /' "$out/$test/stdout.log" ;;
	77-*) sb_say "$kernel: $test skipped: $(tail -n 1 "$out/$test/stderr.log")" ;;
	1-fail | 1-timeout | 1-panic | 1-splat)
		sb_say "$kernel: $word: $(tail -n 1 "$out/$test/stderr.log" 2>/dev/null)" ;;
	*)
		tail -n 5 "$out/$test.log" >&2
		sb_die "$SB_USAGE" "$kernel: the guest did not run $test ($word)" ;;
	esac
	[ "$status" -eq 0 ] || exit "$status"
}
