# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # for the scripts that source it; what lib.sh and they set
# What the scripts have to know of x86-64 guests. Sourced by sb_use_arch (lib.sh), never run.

arch_uname=x86_64	# as uname -m has it
arch_cross=x86_64-linux-gnu-	# prefix of the tools where they are not the machine's own
arch_debian=amd64
# The kernel's build: ARCH, the image's target and file name, where it is made.
arch_linux=x86_64 arch_image=bzImage arch_image_folder=arch/x86/boot
arch_qemu=qemu-system-x86_64 arch_qemu_package=qemu-system-x86
# Files that QEMU feeds to the guest, from its own folders.
arch_firmware=(bios-256k.bin linuxboot_dma.bin kvmvapic.bin)
# The result channel: the guest's device (empty: its init's default, ttyS1) and QEMU's.
arch_channel='' arch_channel_device=(-serial chardev:channel)

# For guests that measure no time: on a busy machine the kernel finds its clock late, and says so,
# which is held against it.
arch_trust_clock=tsc=nowatchdog

# Sets machine (options of QEMU) and cmdline, clock_cmdline (of the kernel).
arch_guest() {	# arch_guest ACCELERATOR-CLOCK
	machine=(-M pc)
	cmdline="console=ttyS0 loglevel=5 panic=-1 oops=panic reboot=t 8250.nr_uarts=4" clock_cmdline=''
	case $1 in
	kvm-*) machine+=(-cpu host) ;;
	tcg-real)
		machine+=(-cpu max)
		# The kernel waits ten ticks to see that its timer works; on a busy machine they
		# can be late, and that is a panic.
		clock_cmdline="no_timer_check"
		;;
	tcg-virtual)
		machine+=(-cpu "max,-rdrand,-rdseed")
		# Calibrating by busy loops takes 2.5 s of emulation. Under icount the time stamp
		# counter counts nanoseconds; timers then go to the HPET, or else the PIT. They
		# work, so waiting ten ticks to see them tick is another busy loop.
		clock_cmdline="tsc_early_khz=1000000 noapictimer no_timer_check"
		;;
	esac
}

# The bundle efi: sets bundle_files, and bundle_program whose libraries go with it.
arch_bundle_efi() {
	local code=/usr/share/OVMF/OVMF_CODE_4M.fd vars=/usr/share/OVMF/OVMF_VARS_4M.fd
	# The option ROM of QEMU's own interrupt controller, where Debian has it.
	bundle_files=("$code" "$vars" /usr/share/qemu/kvmvapic.bin)
	bundle_program=/usr/bin/$arch_qemu
}
