# shellcheck shell=bash
# shellcheck disable=SC2154 # what lib.sh sets
# Which accelerator works here. Sourced by boot-kernel and run-cell, never run.
#
# /dev/kvm may open, and machines be created through it, and a kernel still never start (nested
# virtualisation does that). So KVM is believed only after a guest has reached our init, and the
# answer is remembered for this machine, QEMU and host kernel.

# A working KVM is there in a second or two, nested in three or four.
readonly accel_probe_limit=10

accel_file() {	# accel_file QEMU: where the answer is kept
	local id
	id=$({
		cat /etc/machine-id 2>/dev/null || hostname
		uname -srvm
		grep -m 1 'model name' /proc/cpuinfo || true
		sha256sum <"$1"
	} | sha256sum)
	printf '%s\n' "$sb_cache/accel/${id:0:16}"
}

# Prints why KVM is no use here, if an earlier guest has shown that, else nothing.
accel_unusable() {	# accel_unusable QEMU
	local qemu file word='' reason=''
	qemu=$(command -v -- "$1") || return 0
	file=$(accel_file "$qemu")
	[ -f "$file" ] || return 0
	{ read -r word && read -r reason; } <"$file" || true
	[ "$word" != tcg ] || printf '%s\n' "$reason"
}

accel_remember() {	# accel_remember FILE WORD REASON
	# Not being able to is no reason to fail: the next run asks again.
	{ mkdir -p "${1%/*}" && printf '%s\n%s\n' "$2" "$3" >"$1.$$" && mv "$1.$$" "$1"; } 2>/dev/null ||
		sb_warn "cannot remember the accelerator in $1"
}

# Sets accel to kvm or tcg. The caller has a function probe_kvm, which boots a guest under KVM
# into the folder it is given, within accel_probe_limit seconds.
accel_auto() {	# accel_auto QEMU
	local qemu=$1 file status dir rc=0
	accel=tcg
	if [ ! -e /dev/kvm ]; then
		sb_warn "accelerator: tcg (there is no /dev/kvm)"
		return
	fi
	if [ ! -r /dev/kvm ] || [ ! -w /dev/kvm ]; then
		sb_warn "accelerator: tcg (no permission for /dev/kvm)"
		return
	fi
	file=$(accel_file "$qemu")
	if [ -f "$file" ]; then
		read -r accel <"$file"
		case $accel in
		kvm | tcg) return ;;
		esac
		accel=tcg
	fi
	sb_warn "accelerator: trying whether a guest boots under KVM (at most $accel_probe_limit s)"
	dir=$(mktemp -d)
	probe_kvm "$dir" 2>"$dir/stderr" || rc=$?
	status=$(cat "$dir/status" 2>/dev/null || echo incomplete)
	if [ "$rc" -eq "$SB_INTERRUPTED" ]; then
		rm -rf "$dir"
		exit "$SB_INTERRUPTED"
	fi
	case $status in
	pass | fail | skip | splat)	# it got to its command: KVM works, whatever else
		accel=kvm
		accel_remember "$file" kvm "a guest reached its init"
		;;
	panic) ;; # the kernel's own fault: this says nothing about KVM
	*)
		# Silence is KVM's fault. A kernel that did say something may be the one that hangs, and
		# a QEMU that did not start may have had no memory: neither is to decide for all others.
		if [ "$rc" -ne "$SB_USAGE" ] && [ ! -s "$dir/console.log" ]; then
			accel_remember "$file" tcg "under KVM: $status: $(head -n 1 "$dir/stderr")"
		fi
		;;
	esac
	sb_warn "accelerator: $accel (under KVM: $status: $(head -n 1 "$dir/stderr"))"
	rm -rf "$dir"
}
