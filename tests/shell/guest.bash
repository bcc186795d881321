# shellcheck shell=bash
# For tests of boot-kernel: stub QEMUs and stub kernels. The tests set root, out (the guest's
# folder), pidfile and sbguest.
# shellcheck disable=SC2154

# Nothing of the stubs is a kernel, but boot-kernel looks at the header.
stub_kernel() {	# stub_kernel FILE: header of a bzImage of 4096 bytes
	head -c 4096 /dev/zero >"$1"
	# 4 setup sectors and 96 units of 16 bytes: (4 + 1) * 512 + 96 * 16 = 4096
	printf '\4' | dd of="$1" bs=1 seek=$((0x1f1)) conv=notrunc status=none
	printf '\140' | dd of="$1" bs=1 seek=$((0x1f4)) conv=notrunc status=none
	printf HdrS | dd of="$1" bs=1 seek=$((0x202)) conv=notrunc status=none
}

# A program that takes QEMU's place: BODY finds the console's file in $con and the channel's in
# $chan. Its process is known by the file in $pidfile.
stub_qemu() {	# stub_qemu FILE BODY
	cat >"$1" <<EOF
#!/usr/bin/env bash
case \$1 in
--version) echo "QEMU emulator version 0.0 (stub)"; exit ;;
-L) exit ;;
esac
for arg; do
	arg=\${arg//,,/,}
	case \$arg in
	file,id=console,path=*) con=\${arg#*path=} ;;
	file,id=channel,path=*) chan=\${arg#*path=} ;;
	esac
done
echo \$\$ >"$pidfile"
$2
EOF
	chmod +x "$1"
}

# Runs boot-kernel with a stub whose body is BODY.
boot_stub() {	# boot_stub BODY [OPTION]... [-- COMMAND...]
	stub_qemu "$BATS_TEST_TMPDIR/qemu" "$1"
	shift
	case " $* " in *" -- "*) ;; *) set -- "$@" -- true ;; esac
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	STALLBENCH_QEMU_BIN=$BATS_TEST_TMPDIR/qemu "$root/scripts/boot-kernel" --accel tcg \
		--initramfs "$BATS_FILE_TMPDIR/initramfs" --out "$out" \
		${options[@]+"${options[@]}"} "$BATS_FILE_TMPDIR/bzImage" "$@"
}

# What a guest would send whose job is the shell command COMMAND.
stream() {	# stream FILE COMMAND
	mkdir -p "$1.job" "$1.out"
	printf '%s\0' sh -c "$2" >"$1.job/argv"
	: >"$1.job/env"
	: >"$1"
	"$sbguest" "$1.job" "$1.out" "$1"
}

# True if no process of the stub is left (one that nobody has waited for yet is none).
stub_gone() {
	local tries
	for ((tries = 0; tries < 100; tries++)); do
		case $(ps -o stat= -p "$(cat "$pidfile")") in '' | Z*) return 0 ;; esac
		sleep 0.1
	done
	return 1
}

status_is() {
	[ "$(cat "$out/status")" = "$1" ] || { cat "$out/status"; return 1; }
}
