#!/usr/bin/env bats
# Guests of another architecture than this machine's: arm64 on x86-64. Kernels are only fetched from the
# cache, unless STALLBENCH_FULL is set; that also boots firmware.

# shellcheck disable=SC2016,SC2030,SC2031,SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup_file() {
	load common
	[ "$(uname -m)" != aarch64 ] || return 0
	"$root/scripts/deps" --no-install --quiet arm64 2>/dev/null || return 0
	make -s -C "$root" ARCH=arm64 SANITIZE= static >&2
	"$root/scripts/make-initramfs" --arch arm64 "$BATS_FILE_TMPDIR/initramfs"
	how=(--no-build baseline)
	[ -z "${STALLBENCH_FULL-}" ] || how=(baseline keys-gc-chunks)
	"$root/scripts/build-kernel" --arch arm64 --no-install "${how[@]}" >&2 || return 0
	touch "$BATS_FILE_TMPDIR/kernel"
}

setup() {
	load common
	cd "$BATS_TEST_TMPDIR"
	[ "$(uname -m)" != aarch64 ] || skip "this machine is arm64"
}

need_packages() {
	[ -e "$BATS_FILE_TMPDIR/initramfs" ] || skip "what arm64 guests need is not installed (scripts/deps arm64)"
}

need_kernel() {
	need_packages
	[ -e "$BATS_FILE_TMPDIR/kernel" ] ||
		skip "no kernel for arm64 was built yet (scripts/build-kernel --arch arm64 baseline)"
}

boot() {	# boot OUT [OPTION]... -- COMMAND...
	local out=$1 options=()
	shift
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	"$root/scripts/boot-kernel" --arch arm64 --initramfs "$BATS_FILE_TMPDIR/initramfs" \
		--out "$BATS_TEST_TMPDIR/$out" ${options[@]+"${options[@]}"} baseline "$@"
}

@test "what cannot be is refused before anything is installed or started" {
	export NO_INSTALL=1
	run -2 "$root/run-all.sh" --arch arm64 -b keygcbench
	[[ $output == *"--arch arm64: the running kernel is none of that"* ]]
	run -2 "$root/run-all.sh" --arch arm64 -k baseline --accel kvm
	[[ $output == *"KVM here does not run arm64"* ]]
	run -2 "$root/scripts/boot-kernel" --arch arm64 --accel kvm baseline -- true
	[[ $output == *"KVM here does not run arm64"* ]]
	run -2 "$root/run-all.sh" --arch nosuch -k baseline
	[[ $output == *"nothing is known of 'nosuch' (there are: arm64 x86_64)"* ]]
}

@test "packages of arm64 are named, and where they would go" {
	XDG_CACHE_HOME=$PWD/cache run -2 "$root/scripts/deps" --no-install arm64
	[[ $output == *"of arm64: "*libkeyutils-dev*busybox-static*qemu-system-arm*"$PWD/cache/stallbench/sysroot-arm64"* ]]
	run -0 "$root/scripts/deps" --no-install plot || [ "$status" -eq 2 ]
	[[ $output != *arm64* ]]
}

@test "an image of the other architecture is none" {
	need_kernel
	[ "$("$bin/guest/guestrun" --arch arm64 --check "$root/build/arm64/kernels/baseline/Image" 2>&1)" = "" ]
	run -2 "$bin/guest/guestrun" --arch x86_64 --check "$root/build/arm64/kernels/baseline/Image"
	[[ $output == *"not an x86 kernel image"* ]]
	grep -qx arch=arm64 "$root/build/arm64/kernels/baseline/manifest"
}

@test "arguments arrive as they are, and so do bytes; a skip is a skip" {
	need_kernel
	args=('a  b' "it's" '"q"' ',,' '%s%n' '' '-x' '$HOME `id` \n' $'tab\tnl\n' 'ä')
	run -77 boot out -- sh -c 'printf "%s\0" "$@" >args; printf "1,2\r\n\0\377x" >results.csv
		uname -m; echo "in the middle" >/dev/kmsg; exit 77' sh "${args[@]}"
	printf '%s\0' "${args[@]}" | cmp - out/args
	printf '1,2\r\n\0\377x' | cmp - out/results.csv
	[ "$(cat out/stdout.log)" = aarch64 ]
	[ "$(cat out/status)" = skip ]
	grep -qx arch,arm64 out/guest-env.csv
}

@test "a splat, a reset in the middle of it, a kernel without init: each by its name" {
	need_kernel
	boot splat -- sh -c 'echo "<4>BUG: soft lockup - CPU#0 stuck" >/dev/kmsg' 3>&- || true
	[ "$(cat splat/status)" = splat ]
	run -1 boot reset -- reboot -f
	[[ $output == *"incomplete: the guest ended early; truncated: no end mark"* ]]
	(echo x >x && echo x | cpio --quiet -o -H newc >empty)
	run -1 "$root/scripts/boot-kernel" --arch arm64 --initramfs empty --out panic baseline -- true
	[[ $output == *"panic: console line"*"Kernel panic - not syncing"* ]]
}

@test "virtual time: two boots are the same to the byte, another perturbation is another boot" {
	need_kernel
	aarch64-linux-gnu-gcc --sysroot="${XDG_CACHE_HOME:-$HOME/.cache}/stallbench/sysroot-arm64" -std=gnu11 \
		-D_GNU_SOURCE -O2 -static -o clockprobe "$root/tests/helpers/clockprobe.c"
	probe() { boot "$1" --virtual-time --perturb "$2" --add "$PWD/clockprobe" -- clockprobe; }
	probe 1 3 3>&- &
	probe 2 3
	probe 3 4
	wait $!
	for file in stdout.log console.log boot.csv guest-env.csv; do
		cmp 1/$file 2/$file
	done
	[ "$(wc -l <1/stdout.log)" -gt 80 ]
	run -1 cmp 1/stdout.log 3/stdout.log
}

@test "memory slots and a vCPU as their reader: samples, no errors, SRCU's stall is there" {
	need_kernel
	churn() {
		boot "$1" --virtual-time "${@:2}" -- srcubench --quiet --phase churn,move,flags,efi_replay --ops 100 \
			--readers 1 --csv results.csv
	}
	churn 1 3>&- &
	boot 2 --virtual-time --append "srcutree.srcu_max_nodelay_phase=100 srcutree.srcu_max_nodelay=100" -- \
		srcubench --quiet --phase churn,efi_replay --ops 100 --csv results.csv
	boot 3 --virtual-time -- srcubench --quiet --phase churn,efi_replay --ops 100 --csv results.csv
	wait $!
	[ "$(field 1/results.csv move slot_move n)" -eq 100 ]
	[ "$(field 1/results.csv churn reader_ops min)" -gt 0 ]
	[ "$(awk -F, 'NR > 1 && $9 != 0' 1/results.csv | wc -l)" -eq 0 ]
	for phase in churn efi_replay; do
		awk -v a="$(field 2/results.csv $phase total avg)" -v b="$(field 3/results.csv $phase total avg)" \
			'BEGIN { print a, b; exit !(b > 0 && a > 1.5 * b) }'
	done
}

@test "firmware by both ways (full)" {
	[ -n "${STALLBENCH_FULL-}" ] || skip "takes minutes (STALLBENCH_FULL=1)"
	need_kernel
	for firmware in pflash bios; do
		boot $firmware --virtual-time --timeout 3600 --bundle efi -- srcubench --quiet --phase efi_boot \
			--efi-firmware $firmware --csv results.csv 3>&- &
	done
	wait
	[ "$(field pflash/results.csv efi_boot total n)" -eq 1 ]
	[ "$(field pflash/results.csv efi_boot flash_changed avg)" -gt 500000 ]
	[ "$(field bios/results.csv efi_boot total n)" -eq 1 ]
	[ "$(field bios/results.csv efi_boot flash_changed avg)" = "" ]
}

@test "the change of the key collector has the same verdict as on x86-64 (full)" {
	[ -n "${STALLBENCH_FULL-}" ] || skip "takes minutes (STALLBENCH_FULL=1)"
	need_kernel
	run "$root/run-all.sh" --no-install --no-plots --arch arm64 -k baseline -k keys-gc-chunks -b keygcbench -o run
	[ "$status" -eq 0 ]
	run "$root/scripts/compare" run
	[ "$status" -ne 2 ]
	[[ $output == *better* ]]
}
