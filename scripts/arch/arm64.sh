# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # for the scripts that source it; what lib.sh and they set
# What the scripts have to know of arm64 guests: QEMU's machine "virt". Sourced by sb_use_arch
# (lib.sh), never run.

arch_uname=aarch64	# as uname -m has it
arch_cross=aarch64-linux-gnu-	# prefix of the tools where they are not the machine's own
arch_debian=arm64
# The kernel's build: ARCH, the image's target and file name, where it is made.
arch_linux=arm64 arch_image=Image arch_image_folder=arch/arm64/boot
arch_qemu=qemu-system-aarch64 arch_qemu_package=qemu-system-arm
# The kernel is started by QEMU itself: no firmware has a part in it.
arch_firmware=()
# The machine has one UART that the kernel may use, its console. A 16550 on PCI is as synchronous:
# a byte has left when the store that sent it is done.
arch_channel=/dev/ttyS0 arch_channel_device=(-device "pci-serial,chardev=channel")

arch_trust_clock=''

# Sets machine (options of QEMU) and cmdline, clock_cmdline (of the kernel).
arch_guest() {	# arch_guest ACCELERATOR-CLOCK
	# earlycon, since the console's driver starts late: a panic before it would be silence.
	cmdline="console=ttyAMA0 earlycon loglevel=5 panic=-1 oops=panic 8250.nr_uarts=4" clock_cmdline=''
	case $1 in
	kvm-*) machine=(-M "virt,gic-version=host" -cpu host) ;;
	# Hypervisor mode, so that the guest has KVM. The seeds that QEMU puts into the device tree
	# follow from its -seed. Authenticating pointers by QEMU's own function is many times faster than by
	# the architecture's, for kernels and programs that do.
	tcg-*) machine=(-M "virt,virtualization=on,gic-version=3" -cpu "max,pauth-impdef=on") ;;
	esac
}

# The bundle efi: sets bundle_files, and bundle_program whose libraries go with it.
arch_bundle_efi() {
	bundle_files=(/usr/share/AAVMF/AAVMF_CODE.fd /usr/share/AAVMF/AAVMF_VARS.fd
		/usr/share/qemu-efi-aarch64/QEMU_EFI.fd)
	bundle_program=/usr/bin/$arch_qemu
}
