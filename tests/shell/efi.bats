#!/usr/bin/env bats
# efi_boot: firmware in a machine of its own, in a guest; the bundle that brings it there; what is
# said where it cannot run, and that no QEMU is left over.

# shellcheck disable=SC2030,SC2031,SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup() {
	load common
	cd "$BATS_TEST_TMPDIR"
	firmware=/usr/share/OVMF/OVMF_CODE_4M.fd
}

need_bundle() {
	command -v qemu-system-x86_64 >/dev/null || skip "no QEMU (scripts/deps efi)"
	[ -r "$firmware" ] || skip "no OVMF (scripts/deps efi)"
}

need_kvm_device() {
	run "$bin/srcubench/srcubench" --phase flags --ops 1 --quiet
	[ "$status" -eq 0 ] || skip "no machines can be made here: $output"
}

# A QEMU that does as it is told: a script in its place.
fake_qemu() {	# fake_qemu COMMANDS
	mkdir -p fake
	printf '#!/bin/sh\n%s\n' "$1" >fake/qemu-system-x86_64
	chmod +x fake/qemu-system-x86_64
	PATH=$PWD/fake:$PATH
}

efi_boot() {
	"$bin/srcubench/srcubench" --phase efi_boot --csv results.csv "$@"
}

@test "it runs when it is named, and in full" {
	run -0 "$bin/srcubench/srcubench" --list-phases
	[[ $output == *$'\nefi_boot\t'*"(only when named, or in full)"* ]]
	. "$root/scripts/lib.sh"
	[ "$(sb_needs guest-options srcubench quick | grep -c bundle)" = 0 ]
	[ "$(sb_needs guest-options srcubench quick churn | grep -c bundle)" = 0 ]
	[ "$(sb_needs guest-options srcubench quick churn,efi_boot | grep -c bundle)" = 1 ]
	[ "$(sb_needs guest-options srcubench full | grep -c bundle)" = 1 ]
	[ "$(sb_needs guest-options srcubench full churn | grep -c bundle)" = 0 ]
	[ "$(sb_needs deps srcubench quick efi_boot)" = efi ]
}

@test "the bundle is the same each time, and made once" {
	need_bundle
	export XDG_CACHE_HOME=$PWD/cache
	run -0 "$root/scripts/make-bundle" efi
	kept=$output
	before=$(stat -c '%i %Y' "$kept")
	(umask 077; XDG_CACHE_HOME=$PWD/other "$root/scripts/make-bundle" efi again)
	cmp "$kept" again
	run -0 "$root/scripts/make-bundle" efi
	[ "$output" = "$kept" ]
	[ "$(stat -c '%i %Y' "$kept")" = "$before" ]
	names=$(cpio -t --quiet <again)
	[[ $names == *usr/bin/qemu-system-x86_64*usr/share/OVMF/OVMF_VARS_4M.fd* ]]
	run -2 "$root/scripts/make-bundle" nosuch
	[[ $output == *"no bundle 'nosuch'"* ]]
	run -2 "$root/scripts/make-bundle"
}

@test "where it cannot run: skipped, each time with its reason" {
	need_kvm_device
	need_bundle
	STALLBENCH_KVM_UNUSABLE="a guest hung" run -77 efi_boot
	[[ $output == *"efi_boot: skipped: KVM does not work here: a guest hung"* ]]
	PATH=$PWD run -77 "$bin/srcubench/srcubench" --phase efi_boot
	[[ $output == *"skipped: no qemu-system-x86_64"* ]]
	fake_qemu 'echo "KVM internal error. Suberror: 1" >&2; sleep 60'
	run -77 efi_boot
	[[ $output == *"skipped: KVM here cannot run firmware"* ]]
	run ! pgrep -f "$PWD/fake"
}

@test "the end mark is the end; the flash is QEMU's to write to" {
	need_kvm_device
	need_bundle
	# shellcheck disable=SC2016 # for the fake
	fake_qemu 'for word; do case $word in *unit=1,file=*) flash=${word##*file=} ;; esac; done
		printf abc | dd of="$flash" conv=notrunc 2>/dev/null
		printf "some line\r\nBdsDxe: loading"; sleep 60'
	run -0 efi_boot --efi-boots 3
	[ "$(field results.csv efi_boot total n)" = 3 ]
	[ "$(field results.csv efi_boot flash_changed n)" = 3 ]
	[ "$(field results.csv efi_boot flash_changed max)" = 3 ]
	run ! pgrep -f "$PWD/fake"
}

@test "QEMU that dies, and one that stays silent: errors, with what was said" {
	need_kvm_device
	need_bundle
	fake_qemu 'echo "no such machine" >&2; echo almost; exit 3'
	run -1 efi_boot
	[[ $output == *"QEMU ended with status 3"*"last on its serial line: almost"*"QEMU: no such machine"* ]]
	[ "$(field results.csv efi_boot total errors)" = 1 ]
	[ "$(field results.csv efi_boot total avg)" = "" ]
	fake_qemu 'echo halfway; sleep 60'
	run -1 efi_boot --efi-timeout 1
	[[ $output == *"no end mark of the firmware after 1 s (--efi-timeout); last on its serial line: halfway; flash bytes changed: 0"* ]]
	run ! pgrep -f "$PWD/fake"
}

@test "no QEMU is left: neither after SIGINT nor after SIGKILL" {
	need_kvm_device
	need_bundle
	fake_qemu 'touch started; exec sleep 1234567'
	for signal in INT KILL; do
		rm -f started
		"$bin/srcubench/srcubench" --phase efi_boot --quiet >/dev/null 2>&1 3>&- &
		pid=$!
		within 30 test -e started
		# The script has said so before it becomes that.
		within 30 pgrep -f 'sleep 1234567'
		# Jobs in the background of a script ignore SIGINT; the program has a handler of its own.
		kill -"$signal" "$pid"
		status=0
		wait "$pid" || status=$?
		[ "$status" -eq $((128 + $(kill -l "$signal"))) ]
		within 30 no_process 'sleep 1234567'
	done
}

@test "in a guest, virtual time: real firmware to its end, and its flash has changed" {
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
	need_bundle
	"$root/scripts/build-kernel" baseline >&2
	NO_INSTALL=1 run -0 "$root/run-all.sh" -k baseline -b srcubench:efi_boot --virtual-time --no-plots -o out
	[ "$(cat out/cells/baseline/srcubench/boot1/status)" = pass ]
	[ "$(field out/results.csv efi_boot total n)" = 1 ]
	[ "$(field out/results.csv efi_boot flash_changed avg)" -gt 0 ]
	grep -q '^sha256_bundle_efi,[0-9a-f]\{64\}$' out/cells/baseline/srcubench/boot1/guest-env.csv
}
