#!/usr/bin/env bats
# Real guests under emulation: the kernel is the baseline if it is built, else Debian's.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

bats_require_minimum_version 1.5.0

setup_file() {
	load guest.bash
	root=$(realpath "$BATS_TEST_DIRNAME/../..")
	command -v qemu-system-x86_64 >/dev/null || skip "no QEMU"
	if [ -e "${STALLBENCH_KERNELS:-$root/build/kernels}/baseline/bzImage" ]; then
		export guest_kernel=baseline
	else
		export guest_kernel=debian
	fi
	"$root/scripts/make-initramfs" "$BATS_FILE_TMPDIR/initramfs"
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -static -o "$BATS_FILE_TMPDIR/clockprobe" \
		"$root/tests/helpers/clockprobe.c"
}

setup() {
	load guest.bash
	root=$(realpath "$BATS_TEST_DIRNAME/../..")
	out=$BATS_TEST_TMPDIR/out
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
}

boot() {	# boot [OPTION]... -- COMMAND...
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	"$root/scripts/boot-kernel" --accel tcg --initramfs "$BATS_FILE_TMPDIR/initramfs" \
		${options[@]+"${options[@]}"} "$guest_kernel" "$@"
}

@test "arguments arrive as they are, and so do bytes" {
	args=('a  b' "it's" '"q"' ',,' '%s%n' '' '-x' '$HOME `id` \n' $'tab\tnl\n' 'ä')
	run boot --out "$out" -- sh -c 'printf "%s\0" "$@" >args; printf "1,2\r\n\0\377x" >results.csv
		echo "in the middle" >/dev/kmsg' sh "${args[@]}"
	[ "$status" -eq 0 ]
	printf '%s\0' "${args[@]}" | cmp - "$out/args"
	printf '1,2\r\n\0\377x' | cmp - "$out/results.csv"
	[ "$(cat "$out/status")" = pass ]
	grep -q ',boot,1,boot,kernel_to_init,us,lower,1,0,[1-9]' "$out/boot.csv"
	[ "$(cut -d, -f1 "$out/timing.csv" | tr '\n' ' ')" = 'step boot prepare command collect shutdown ' ]
	grep -q "^sha256_kernel,[0-9a-f]\{64\}$" "$out/guest-env.csv"
	grep -q "^sha256_bios-256k.bin,[0-9a-f]\{64\}$" "$out/guest-env.csv"
}

@test "without --out: the command's output and status" {
	run --separate-stderr boot -- sh -c 'echo out; echo err >&2; echo $STALLBENCH_ACCEL $STALLBENCH_CLOCK $STALLBENCH_SEED; exit 77'
	[ "$status" -eq 77 ]
	[ "$output" = "out
tcg real 0" ]
	[[ $stderr == *err* ]]
	run boot -- sh -c 'exit 3'
	[ "$status" -eq 1 ]
	run boot -- nosuchcommand
	[ "$status" -eq 1 ]
	[[ $output == *"nosuchcommand: No such file or directory"* ]]
}

@test "what the command left running is over before its files are read" {
	run boot --out "$out" -- sh -c '(while :; do echo x; done >>growing) & until [ -s growing ]; do sleep 0.1; done'
	[ "$status" -eq 0 ]
	[ -s "$out/growing" ]
}

@test "a kernel with no init panics, and that is said" {
	(cd "$BATS_TEST_TMPDIR" && echo x >x && echo x | cpio --quiet -o -H newc >empty)
	SECONDS=0
	run "$root/scripts/boot-kernel" --accel tcg --initramfs "$BATS_TEST_TMPDIR/empty" --out "$out" \
		"$guest_kernel" -- true
	[ "$status" -eq 1 ]
	[ "$SECONDS" -lt 80 ]
	[[ $output == *"panic: console line"*"Kernel panic - not syncing"* ]]
	[ "$(cat "$out/status")" = panic ]
}

@test "a panic while the command runs" {
	run boot --out "$out" -- sh -c 'echo 1 >/proc/sys/kernel/sysrq; echo c >/proc/sysrq-trigger'
	if [ "$(cat "$out/status")" = fail ]; then skip "no sysrq in this kernel"; fi
	[ "$(cat "$out/status")" = panic ]
}

@test "a reset in the middle of it: incomplete" {
	run boot --out "$out" -- reboot -f
	[ "$status" -eq 1 ]
	[[ $output == *"incomplete: the guest ended early; truncated: no end mark"* ]]
}

@test "a splat on the real console" {
	run boot --out "$out" -- sh -c 'echo 1 >results.csv; echo "<4>BUG: soft lockup - CPU#0 stuck" >/dev/kmsg'
	[ "$status" -eq 1 ]
	[ "$(cat "$out/status")" = splat ]
	[ -e "$out/results.csv" ]
	grep -q '^bad,' "$out/console.csv"
}

@test "virtual time: two boots at once, and one on a busy machine, are the same to the byte" {
	probe() { boot --virtual-time --perturb 3 --add "$BATS_FILE_TMPDIR/clockprobe" --out "$out$1" -- clockprobe; }
	probe 1 3>&- &
	probe 2
	wait $!
	if command -v stress-ng >/dev/null; then
		stress-ng --quiet --cpu 2 --timeout 60 3>&- &
		load=$!
	else
		(while :; do :; done) 3>&- &
		load=$!
	fi
	probe 3
	kill "$load" || true	# it may have had its time
	for file in stdout.log console.log boot.csv guest-env.csv; do
		cmp "${out}1/$file" "${out}2/$file"
		cmp "${out}1/$file" "${out}3/$file"
	done
	[ "$(wc -l <"${out}1/stdout.log")" -gt 80 ]
}

@test "virtual time: tens of thousands of sleeps on a busy machine, the same to the byte" {
	chrt -f 1 true 2>/dev/null || skip "QEMU's threads cannot be ordered here (CAP_SYS_NICE)"
	make -s -C "$root" STATIC=1 guest-tests >&2
	local busy=() i
	for ((i = 0; i < 2 * $(nproc); i++)); do
		(while :; do :; done) 3>&- &
		busy+=($!)
	done
	nap() { boot --virtual-time --add "$root/build/static/tests/guest/sleeps" --out "$out$1" -- sleeps 30000; }
	nap 1 3>&- &
	nap 2
	wait $!
	kill "${busy[@]}"
	[ "$(wc -l <"${out}1/stdout.log")" -eq 300 ]
	cmp "${out}1/stdout.log" "${out}2/stdout.log"
}

@test "virtual time: another perturbation is another boot" {
	probe() { boot --virtual-time --perturb "$1" --add "$BATS_FILE_TMPDIR/clockprobe" --out "$out$1" -- clockprobe; }
	probe 1 3>&- &
	probe 2
	wait $!
	run cmp "${out}1/stdout.log" "${out}2/stdout.log"
	[ "$status" -eq 1 ]
	cmp "${out}1/boot.csv" "${out}2/boot.csv"
}

@test "the initramfs is the same each time" {
	"$root/scripts/make-initramfs" --add "$root/LICENSE:/etc/license" "$BATS_TEST_TMPDIR/a"
	sleep 1.1
	(umask 077; cp "$root/LICENSE" "$BATS_TEST_TMPDIR/copy"
		"$root/scripts/make-initramfs" --add "$BATS_TEST_TMPDIR/copy:/etc/license" "$BATS_TEST_TMPDIR/b")
	cmp "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
}

@test "KVM is believed only after a boot" {
	[ -w /dev/kvm ] || skip "no /dev/kvm"
	SECONDS=0
	run "$root/scripts/boot-kernel" --initramfs "$BATS_FILE_TMPDIR/initramfs" --out "$out" "$guest_kernel" -- true
	[ "$status" -eq 0 ]
	[[ $output == *"accelerator: "* ]]
	[ -n "$(find "$XDG_CACHE_HOME/stallbench/accel" -type f)" ]
}

@test "debian: the current cloud kernel, fetched and not installed" {
	apt-cache show linux-image-cloud-amd64 >/dev/null 2>&1 || skip "apt has no such package"
	run "$root/scripts/boot-kernel" --accel tcg --initramfs "$BATS_FILE_TMPDIR/initramfs" \
		--modules kvm-amd --out "$out" debian -- sh -c 'uname -r; ls /dev/kvm'
	[[ $output != *"apt-get could not fetch"* && $output != *"apt knows no"* ]] || skip "${lines[-1]}"
	[ "$status" -eq 0 ]
	[[ $(cat "$out/stdout.log") == *-cloud-amd64*/dev/kvm ]]
	grep -q '^debian,boot,1,' "$out/boot.csv"
}

@test "a module or a kernel that is not there" {
	run boot --modules nosuch -- true
	[ "$status" -eq 2 ]
	[[ $output == *"no module 'nosuch'"* ]]
}
