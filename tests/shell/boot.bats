#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2317
# scripts/boot-kernel and the supervisor with stubs in QEMU's place: every way a guest can end.

setup_file() {
	root=$BATS_TEST_DIRNAME/../..
	load guest.bash
	stub_kernel "$BATS_FILE_TMPDIR/bzImage"
	: >"$BATS_FILE_TMPDIR/initramfs"
}

setup() {
	load common.bash
	load guest.bash
	root=$(realpath "$BATS_TEST_DIRNAME/../..")
	out=$BATS_TEST_TMPDIR/out
	pidfile=$BATS_TEST_TMPDIR/pid
	sbguest=${STALLBENCH_STATIC:-$root/build/static}/guest/sbguest
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
}

@test "a guest that says nothing: timeout, and no QEMU left" {
	run boot_stub 'exec sleep 1000' --timeout 1
	[ "$status" -eq 1 ]
	[[ $output == *"timeout: not done after 1 s"* ]]
	status_is timeout
	stub_gone
}

@test "a guest that never stops talking: timeout" {
	run boot_stub 'while :; do echo "[ 1.0] so" >>"$con"; sleep 0.05; done' --timeout 6 --silence 3
	[ "$status" -eq 1 ]
	[[ $output == *"timeout: not done after 6 s"* ]]
	status_is timeout
}

@test "a guest that falls silent: timeout before the limit for all of it" {
	run boot_stub 'echo so >>"$con"; exec sleep 1000' --timeout 60 --silence 3
	[ "$status" -eq 1 ]
	[[ $output == *"timeout: silent for 3 s"* ]]
	[[ $output == *"end of console.log"*so* ]]
}

@test "a panic is reported at once, although QEMU stays" {
	SECONDS=0
	run boot_stub 'echo "[ 1.0] Kernel panic - not syncing: VFS" >>"$con"; exec sleep 1000'
	[ "$status" -eq 1 ]
	# The limit without it is 80 s.
	[ "$SECONDS" -lt 40 ]
	[[ $output == *"panic: console line 1: [ 1.0] Kernel panic - not syncing: VFS"* ]]
	status_is panic
	stub_gone
}

@test "a panic is a panic whatever QEMU's exit status" {
	for code in 0 1 77; do
		run boot_stub "printf 'Kernel pa\0nic - not syncing: x' >>\"\$con\"; exit $code"
		[ "$status" -eq 1 ]
		status_is panic
	done
}

@test "an early end with no end mark: incomplete" {
	run boot_stub 'echo booting >>"$con"; exit 0'
	[ "$status" -eq 1 ]
	[[ $output == *"incomplete: the guest ended early; nothing came"* ]]
	[[ $(cat "$out/verdict.txt") == "incomplete: the guest ended early; nothing came"* ]]
	status_is incomplete
}

@test "QEMU does not start: its own message, exit status 2" {
	run boot_stub 'echo "qemu: no such machine" >&2; exit 1'
	[ "$status" -eq 2 ]
	[[ $output == *"QEMU does not start (exit status 1)"*"qemu: no such machine"* ]]
	status_is incomplete
}

@test "QEMU is killed: incomplete, with the signal" {
	run boot_stub 'kill -SEGV $$'
	[ "$status" -eq 1 ]
	[[ $output == *"QEMU was killed by signal 11"* ]]
}

@test "the command's status and files arrive" {
	stream "$BATS_TEST_TMPDIR/s" 'printf "a,b\r\n\0x" >results.csv; echo out; echo err >&2; exit 0'
	run boot_stub "cat $BATS_TEST_TMPDIR/s >>\"\$chan\""
	[ "$status" -eq 0 ]
	status_is pass
	printf 'a,b\r\n\0x' | cmp - "$out/results.csv"
	[ "$(cat "$out/stdout.log")" = out ]
	[ "$(cat "$out/stderr.log")" = err ]
	[ ! -e "$out/channel.raw" ]
	[ "$(head -n 1 "$out/timing.csv")" = step,seconds ]
	grep -q '^bzImage-[0-9a-f]*,boot,1,boot,kernel_to_init,us,lower,1,0,' "$out/boot.csv"
}

@test "exit 77 is a skip, others fail, signals are named" {
	stream "$BATS_TEST_TMPDIR/s" 'exit 77'
	run boot_stub "cat $BATS_TEST_TMPDIR/s >>\"\$chan\""
	[ "$status" -eq 77 ]
	status_is skip
	stream "$BATS_TEST_TMPDIR/s" 'exit 200'
	run boot_stub "cat $BATS_TEST_TMPDIR/s >>\"\$chan\""
	[ "$status" -eq 1 ]
	[[ $output == *"fail: the command's exit status is 200"* ]]
	stream "$BATS_TEST_TMPDIR/s" 'kill -9 $$'
	run boot_stub "cat $BATS_TEST_TMPDIR/s >>\"\$chan\""
	[[ $output == *"fail: the command was killed by signal 9"* ]]
	status_is fail
}

@test "noise on the console alters no figure" {
	stream "$BATS_TEST_TMPDIR/s" 'seq 1000 >results.csv'
	run boot_stub "head -c 200000 /dev/urandom | tr '\\n' x >>\"\$con\"; cat $BATS_TEST_TMPDIR/s >>\"\$chan\""
	[ "$status" -eq 0 ]
	seq 1000 | cmp - "$out/results.csv"
}

@test "a corrupt stream: incomplete, the file is not there" {
	stream "$BATS_TEST_TMPDIR/s" 'seq 1000 >results.csv'
	run boot_stub "sed 's/^500\$/501/' $BATS_TEST_TMPDIR/s >>\"\$chan\""
	[ "$status" -eq 1 ]
	[[ $output == *"incomplete: wrong checksum of 'results.csv'"* ]]
	status_is incomplete
	[ ! -e "$out/results.csv" ]
	[ -e "$out/channel.raw" ]
	[ -z "$(find "$out" -name '*.part')" ]
}

@test "a truncated stream: incomplete" {
	stream "$BATS_TEST_TMPDIR/s" 'seq 1000 >results.csv'
	run boot_stub "head -c 500 $BATS_TEST_TMPDIR/s >>\"\$chan\""
	[ "$status" -eq 1 ]
	[[ $output == *"incomplete: the guest ended early; truncated: no end mark at byte 500"* ]]
	[ ! -e "$out/results.csv" ]
}

@test "the guest cannot pass a file off as ours" {
	stream "$BATS_TEST_TMPDIR/s" 'echo pass >status'
	run boot_stub "cat $BATS_TEST_TMPDIR/s >>\"\$chan\""
	[ "$status" -eq 1 ]
	[[ $output == *"'status', a name that is ours"* ]]
	status_is incomplete
}

@test "a splat makes a run that passed a splat" {
	stream "$BATS_TEST_TMPDIR/s" 'echo 1 >results.csv'
	run boot_stub "echo '[ 2.0] WARNING: CPU: 0 PID: 1, \"x\"' >>\"\$con\"; cat $BATS_TEST_TMPDIR/s >>\"\$chan\""
	[ "$status" -eq 1 ]
	status_is splat
	[ -e "$out/results.csv" ]
	[ "$(sed -n 2p "$out/console.csv")" = 'bad,"WARNING: ",1,"[ 2.0] WARNING: CPU: 0 PID: 1, ""x"""' ]
}

@test "hogged CPU lines are counted, and no verdict" {
	stream "$BATS_TEST_TMPDIR/s" true
	line='workqueue: key_garbage_collector hogged CPU for >10000us 4 times, consider'
	run boot_stub "echo '$line' >>\"\$con\"; echo '$line' >>\"\$con\"; cat $BATS_TEST_TMPDIR/s >>\"\$chan\"" --name k --boot 3
	[ "$status" -eq 0 ]
	grep -q '^k,boot,3,boot,hogged_cpu,count,lower,1,0,2,2,2,0,2,,,$' "$out/boot.csv"
	[ "$(grep -c ^hogged, "$out/console.csv")" -eq 2 ]
}

@test "SIGTERM to boot-kernel alone ends the guest: interrupted, 130" {
	boot_stub 'exec sleep 1000' >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	until [ -s "$pidfile" ]; do sleep 0.1; done
	kill -TERM "$(pgrep -P $!)" 2>/dev/null || kill -TERM $!
	rc=0
	wait $! || rc=$?
	[ "$rc" -eq 130 ]
	status_is interrupted
	stub_gone
}

@test "Ctrl-C: interrupted, 130, no QEMU left" {
	stub_qemu "$BATS_TEST_TMPDIR/qemu" 'exec sleep 1000'
	export STALLBENCH_QEMU_BIN=$BATS_TEST_TMPDIR/qemu
	# A session of its own, whose group gets the signal as from a terminal.
	setsid --wait env --default-signal=INT "$root/scripts/boot-kernel" --accel tcg --out "$out" \
		--initramfs "$BATS_FILE_TMPDIR/initramfs" "$BATS_FILE_TMPDIR/bzImage" -- true \
		>"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	until [ -s "$pidfile" ]; do sleep 0.1; done
	guestrun=$(ps -o ppid= -p "$(cat "$pidfile")" | tr -d ' ')
	kill -INT -- "-$(ps -o pgid= -p "$guestrun" | tr -d ' ')"
	rc=0
	wait $! || rc=$?
	[ "$rc" -eq 130 ]
	status_is interrupted
	stub_gone
}

@test "kill -9 of the supervisor: no QEMU left, status incomplete" {
	boot_stub 'exec sleep 1000' >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	until [ -s "$pidfile" ]; do sleep 0.1; done
	kill -9 "$(ps -o ppid= -p "$(cat "$pidfile")" | tr -d ' ')"
	rc=0
	wait $! || rc=$?
	[ "$rc" -ne 0 ]
	status_is incomplete
	stub_gone
}

@test "kill -9 of boot-kernel: no QEMU left" {
	stub_qemu "$BATS_TEST_TMPDIR/qemu" 'exec sleep 1000'
	STALLBENCH_QEMU_BIN=$BATS_TEST_TMPDIR/qemu "$root/scripts/boot-kernel" --accel tcg \
		--out "$out" --initramfs "$BATS_FILE_TMPDIR/initramfs" "$BATS_FILE_TMPDIR/bzImage" \
		-- true >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	until [ -s "$pidfile" ]; do sleep 0.1; done
	kill -9 $!
	wait $! || true
	stub_gone
	# The supervisor is nobody's child any more, and says so after it has ended QEMU.
	within 10 status_is interrupted
}

@test "kill -9 of the owner: no QEMU left, status interrupted" {
	sleep 1000 3>&- &
	owner=$!
	STALLBENCH_OWNER=$owner boot_stub 'exec sleep 1000' >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
	until [ -s "$pidfile" ]; do sleep 0.1; done
	kill -9 "$owner"
	rc=0
	wait $! || rc=$?
	[ "$rc" -eq 130 ]
	status_is interrupted
	stub_gone
}

@test "kernels that are none are told so before anything starts" {
	boot() { "$root/scripts/boot-kernel" --initramfs "$BATS_FILE_TMPDIR/initramfs" "$@" -- true; }
	head -c 3000 "$BATS_FILE_TMPDIR/bzImage" >"$BATS_TEST_TMPDIR/short"
	run boot "$BATS_TEST_TMPDIR/short"
	[ "$status" -eq 2 ]
	[[ $output == *"truncated kernel image: 3000 bytes of 4096"* ]]
	run boot /dev/null
	[ "$status" -eq 2 ]
	[[ $output == *"/dev/null: not a regular file"* ]]
	run boot nosuch
	[ "$status" -eq 2 ]
	[[ $output == *"kernel nosuch: neither a variant"* ]]
	run boot ./nosuch
	[ "$status" -eq 2 ]
	[[ $output == *"no such file"* ]]
	run boot "$root/LICENSE"
	[ "$status" -eq 2 ]
	[[ $output == *"not an x86 kernel image"* ]]
	run boot "$root"
	[ "$status" -eq 2 ]
	[[ $output == *"not a regular file"* ]]
}

@test "odd paths: spaces, commas, percent, quotes, a leading dash" {
	mkdir "$BATS_TEST_TMPDIR/-a, b%d'c\"\$"
	cp "$BATS_FILE_TMPDIR/bzImage" "$BATS_TEST_TMPDIR/-a, b%d'c\"\$/-bz, Image"
	stream "$BATS_TEST_TMPDIR/s" 'echo 1 >r'
	stub_qemu "$BATS_TEST_TMPDIR/qemu" "cat $BATS_TEST_TMPDIR/s >>\"\$chan\"; printf '%s\n' \"\$@\" >$BATS_TEST_TMPDIR/args"
	cd "$BATS_TEST_TMPDIR/-a, b%d'c\"\$"
	export STALLBENCH_QEMU_BIN=$BATS_TEST_TMPDIR/qemu
	run "$root/scripts/boot-kernel" --accel tcg --initramfs "$BATS_FILE_TMPDIR/initramfs" \
		--out './-o, ut' './-bz, Image' -- true
	[ "$status" -eq 0 ]
	[ "$(cat "./-o, ut/r")" = 1 ]
	grep -qF "/-a,, b%d'c\"\$/-o,, ut/console.log" "$BATS_TEST_TMPDIR/args"
}

@test "a folder that is not of a guest is left alone" {
	mkdir "$out"
	echo precious >"$out/file"
	run boot_stub 'exit 0'
	[ "$status" -eq 2 ]
	[[ $output == *"neither empty nor of an earlier guest"* ]]
	[ "$(cat "$out/file")" = precious ]
}

@test "a second guest in a folder never shows the first one's files" {
	stream "$BATS_TEST_TMPDIR/s" 'echo 1 >results.csv'
	run boot_stub "cat $BATS_TEST_TMPDIR/s >>\"\$chan\""
	[ -e "$out/results.csv" ]
	run boot_stub 'echo booting >>"$con"; exit 0'
	status_is incomplete
	[ ! -e "$out/results.csv" ]
}

@test "a folder that cannot be written to is found before QEMU starts" {
	out=/proc/self/out
	run boot_stub 'exit 0'
	[ "$status" -eq 2 ]
	[[ $output == *"cannot make '/proc/self/out'"* ]]
	[ ! -e "$pidfile" ]
}

@test "QEMU eats nothing of the list that its caller reads" {
	printf 'one\ntwo\nthree\n' >"$BATS_TEST_TMPDIR/list"
	while read -r word; do
		out=$BATS_TEST_TMPDIR/out.$word
		run boot_stub "wc -c >$BATS_TEST_TMPDIR/eaten.$word"
		seen+=("$word")
	done <"$BATS_TEST_TMPDIR/list"
	[ "${seen[*]}" = "one two three" ]
	[ "$(cat "$BATS_TEST_TMPDIR"/eaten.*)" = $'0\n0\n0' ]
}

@test "-cpu host under KVM only; under emulation four times the limits" {
	# $output of the dry run is guestrun's command line.
	limit() { sed -E "s/.* --$1 ([0-9]+) .*/\1/" <<<"$output"; }
	STALLBENCH_QEMU_BIN=$BATS_TEST_TMPDIR/qemu
	export STALLBENCH_QEMU_BIN
	stub_qemu "$STALLBENCH_QEMU_BIN" 'exit 0'
	dry() {
		run "$root/scripts/boot-kernel" --dry-run --initramfs "$BATS_FILE_TMPDIR/initramfs" "$@" \
			"$BATS_FILE_TMPDIR/bzImage" -- true
		[ "$status" -eq 0 ]
	}
	dry --accel kvm
	[[ $output == *"-accel kvm"* && $output == *"-cpu host"* ]]
	boot_limit=$(limit boot-limit) timeout=$(limit timeout)
	for clock in --real-time --virtual-time; do
		dry --accel tcg "$clock"
		[[ $output == *"-accel tcg"* && $output != *"-cpu host"* ]]
		[ "$(limit boot-limit)" -eq $((4 * boot_limit)) ]
		[ "$(limit timeout)" -eq $((4 * timeout)) ]
	done
}

@test "usage errors" {
	boot() { "$root/scripts/boot-kernel" "$@"; }
	run boot
	[ "$status" -eq 2 ]
	run boot --virtual-time --accel kvm baseline -- true
	[ "$status" -eq 2 ]
	[[ $output == *"virtual time needs tcg"* ]]
	run boot --virtual-time --cpus 2 baseline -- true
	[ "$status" -eq 2 ]
	[[ $output == *"one CPU, not 2"* ]]
	run boot --timeout x baseline -- true
	[ "$status" -eq 2 ]
	run boot --nosuch baseline -- true
	[ "$status" -eq 2 ]
	run boot baseline
	[ "$status" -eq 2 ]
	[[ $output == *"no command"* ]]
	run boot --out
	[ "$status" -eq 2 ]
	run boot --help
	[ "$status" -eq 0 ]
}

@test "a missing QEMU is named" {
	STALLBENCH_QEMU_BIN=/nosuch/qemu run "$root/scripts/boot-kernel" "$BATS_FILE_TMPDIR/bzImage" -- true
	[ "$status" -eq 2 ]
	[[ $output == *"no /nosuch/qemu"* ]]
}

@test "--dry-run starts nothing and makes nothing" {
	run boot_stub 'exit 0' --dry-run -- echo 'a b'
	[ "$status" -eq 0 ]
	[[ $output == *guestrun*-kernel*bzImage* ]]
	[ ! -e "$out" ]
	[ ! -e "$pidfile" ]
}

@test "--accel auto: KVM that hangs is left after 10 s, and remembered" {
	[ -w /dev/kvm ] || skip "no /dev/kvm"
	stream "$BATS_TEST_TMPDIR/s" true
	stub_qemu "$BATS_TEST_TMPDIR/qemu" "case \"\$*\" in *'-accel kvm'*) exec sleep 1000 ;; esac
		cat $BATS_TEST_TMPDIR/s >>\"\$chan\""
	export STALLBENCH_QEMU_BIN=$BATS_TEST_TMPDIR/qemu
	boot() {
		"$root/scripts/boot-kernel" --initramfs "$BATS_FILE_TMPDIR/initramfs" --out "$out" \
			"$BATS_FILE_TMPDIR/bzImage" -- true
	}
	SECONDS=0
	run boot
	[ "$status" -eq 0 ]
	[ "$SECONDS" -lt 60 ]
	[[ $output == *"accelerator: tcg (under KVM: timeout: "*"not done after 10 s)"* ]]
	grep -q '^accelerator,tcg$' "$out/guest-env.csv"
	run boot
	[ "$status" -eq 0 ]
	[[ $output != *"trying whether"* ]]
}

@test "--accel auto: what a kernel that speaks, or a QEMU that does not start, comes to is not remembered" {
	[ -w /dev/kvm ] || skip "no /dev/kvm"
	stream "$BATS_TEST_TMPDIR/s" true
	export STALLBENCH_QEMU_BIN=$BATS_TEST_TMPDIR/qemu
	for kvm in 'echo "Linux version" >"$con"; kill -ABRT $$' 'echo "cannot set up guest memory" >&2; exit 1'; do
		stub_qemu "$BATS_TEST_TMPDIR/qemu" "case \"\$*\" in *'-accel kvm'*) $kvm ;; esac
			cat $BATS_TEST_TMPDIR/s >>\"\$chan\""
		for _ in 1 2; do
			run "$root/scripts/boot-kernel" --initramfs "$BATS_FILE_TMPDIR/initramfs" --out "$out" \
				"$BATS_FILE_TMPDIR/bzImage" -- true
			[ "$status" -eq 0 ]
			[[ $output == *"trying whether"*"accelerator: tcg (under KVM: "* ]]
		done
	done
}

@test "--accel auto: KVM that works is used" {
	[ -w /dev/kvm ] || skip "no /dev/kvm"
	stream "$BATS_TEST_TMPDIR/s" true
	stub_qemu "$BATS_TEST_TMPDIR/qemu" "cat $BATS_TEST_TMPDIR/s >>\"\$chan\""
	STALLBENCH_QEMU_BIN=$BATS_TEST_TMPDIR/qemu run "$root/scripts/boot-kernel" --out "$out" \
		--initramfs "$BATS_FILE_TMPDIR/initramfs" "$BATS_FILE_TMPDIR/bzImage" -- true
	[ "$status" -eq 0 ]
	grep -q '^accelerator,kvm$' "$out/guest-env.csv"
}

@test "a folder of somebody's is left alone" {
	mkdir -p "$out/sub"
	echo draft >"$out/status"
	echo thesis >"$out/thesis"
	run boot_stub 'exit 0'
	[ "$status" -eq 2 ]
	[[ $output == *"neither empty nor of an earlier guest"* ]]
	[ "$(cat "$out/thesis")" = thesis ]
	rmdir "$out/sub"
	run boot_stub 'exit 0'
	[ "$status" -eq 2 ]
	[ "$(cat "$out/thesis")" = thesis ]
}

@test "QEMU deaf to every signal that can be ignored: timeout all the same, and none left" {
	run boot_stub 'trap "" TERM INT HUP QUIT; while :; do sleep 0.1; done' --timeout 1
	[ "$status" -eq 1 ]
	status_is timeout
	stub_gone
}

@test "QEMU that dies in the middle of a file, and one that babbles into the channel: incomplete, no file" {
	stream "$BATS_TEST_TMPDIR/s" 'seq 1000 >results.csv'
	run boot_stub "head -c 2000 $BATS_TEST_TMPDIR/s >>\"\$chan\"; kill -KILL \$\$"
	[ "$status" -eq 1 ]
	[[ $output == *"QEMU was killed by signal 9; truncated"* ]]
	[ ! -e "$out/results.csv" ]
	run boot_stub 'head -c 100000 /dev/urandom >>"$chan"; exec sleep 1000' --timeout 20
	[ "$status" -eq 1 ]
	[[ $output == *"incomplete: only noise"* ]]
	status_is incomplete
	stub_gone
}
