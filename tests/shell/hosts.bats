#!/usr/bin/env bats
# Cells on other machines: two sshd in network namespaces that see nothing of this tree.

# shellcheck disable=SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

small=(-k baseline -k keys-gc-chunks+workqueue.cpu_intensive_thresh_us=0 -b keygcbench:unused --no-plots --virtual-time)

setup_file() {
	load common
	load hosts
	export machines=$BATS_FILE_TMPDIR/machines runs=$BATS_FILE_TMPDIR
	[ "$(id -u)" -eq 0 ] && [ -x /usr/sbin/sshd ] && [ -z "${STALLBENCH_NO_KERNELS-}" ] || return 0
	"$root/scripts/build-kernel" baseline keys-gc-chunks >&2
	make -s -C "$root" dist-programs >&2
	ip netns add "$(ns probe)" 2>/dev/null && ip netns del "$(ns probe)" || return 0
	machines_up
}

teardown_file() {
	load hosts
	machines_down 2>/dev/null || true
}

setup() {
	load common
	load hosts
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
	need_machines
	export NO_INSTALL=1
	cd "$BATS_TEST_TMPDIR"
	printf '# the machines\n1/a\n\n  1/b # the other one\n' >both
}

@test "two machines: the same as one to the byte, and the job log says where each cell ran" {
	run -0 "$root/run-all.sh" "${small[@]}" -o "$runs/one" -- --keys 500
	run -0 here "$root/run-all.sh" "${small[@]}" --hosts both -o two -- --keys 500
	[[ $output == *"machines: 1/a 1/b"* ]]
	for file in results.csv summary.csv columns.csv; do cmp "$runs/one/$file" "two/$file"; done
	for cell in cells/{baseline,keys-gc-chunks+workqueue.cpu_intensive_thresh_us=0}/keygcbench/boot1; do
		for file in status results.csv hist.csv env.csv events.csv boot.csv console.log; do
			cmp "$runs/one/$cell/$file" "two/$cell/$file"
		done
		[ -s "two/$cell/timing.csv" ]
		# Kernel, initramfs and QEMU, as the guest's supervisor has hashed them there.
		cmp "$runs/one/$cell/guest-env.csv" "two/$cell/guest-env.csv"
	done
	[ "$(tail -n +2 two/joblog | cut -f 2 | sort -u | tr '\n' ' ')" = "a b " ]
	cat two/joblog
	[ "$(wc -l <two/joblog)" -eq 3 ]
	# What stays there is the kit: one, for the next run.
	for host in a b; do
		[ "$(on $host 'ls .cache/stallbench/kits | wc -l; ls .cache/stallbench/runs | wc -l' | tr '\n' ' ')" = "1 0 " ]
		on $host 'stat -c %i .cache/stallbench/kits/*/complete' >"$runs/kit.$host"
	done
	run ! on a ls "$root/run-all.sh"
}

@test "a machine that dies in the middle: its cells run on the other one" {
	here "$root/run-all.sh" "${small[@]}" --hosts both -o out -- --keys 500 >log 2>&1 3>&- &
	pid=$!
	within 180 two_processes "$qemu_there"
	machine_off b
	got=0
	wait "$pid" || got=$?
	machine_on b
	cat log
	[ "$got" -eq 0 ]
	cmp "$runs/one/results.csv" out/results.csv
	# The kit was there already.
	for host in a b; do
		on $host 'stat -c %i .cache/stallbench/kits/*/complete' | cmp - "$runs/kit.$host"
	done
}

@test "a machine that falls silent: noticed, and its cells run on the other one" {
	[ -n "${STALLBENCH_FULL-}" ] || skip "with STALLBENCH_FULL=1"
	here "$root/run-all.sh" "${small[@]}" --hosts both -o out -- --keys 500 >log 2>&1 3>&- &
	pid=$!
	within 180 two_processes "$qemu_there"
	ip -n "$(ns b)" link set eth0 down
	got=0
	wait "$pid" || got=$?
	ip -n "$(ns b)" link set eth0 up
	cat log
	[ "$got" -eq 0 ]
	cmp "$runs/one/results.csv" out/results.csv
	# What a dead connection leaves there ends by itself, as soon as sshd notices, too.
	machine_off b
	machine_on b
}

@test "in real time all cells have one machine, and keep it" {
	[ -n "${STALLBENCH_FULL-}" ] || skip "with STALLBENCH_FULL=1"
	run -0 here "$root/run-all.sh" "${small[@]}" --real-time --accel tcg --hosts both -o out -- --keys 500
	[ "$(cat out/host)" = a ]
	[ "$(tail -n +2 out/joblog | cut -f 2 | sort -u)" = a ]
	rm -r out/cells/baseline
	echo b >other
	run -2 here "$root/run-all.sh" --resume out --hosts other
	[[ $output == *"was begun on a, which does not answer"* ]]
	run -0 here "$root/run-all.sh" --resume out
	[ "$(tail -n +2 out/joblog | cut -f 2 | sort -u)" = a ]
}

@test "Ctrl-C ends what runs there; --resume goes on, on other machines if need be" {
	[ -n "${STALLBENCH_FULL-}" ] || skip "with STALLBENCH_FULL=1"
	more=("${small[@]}" -n 2)
	run -0 "$root/run-all.sh" "${more[@]}" -o whole -- --keys 500
	env --default-signal=INT setsid ip netns exec "$(ns c)" "$root/run-all.sh" "${more[@]}" --hosts both -o out -- --keys 500 >log 2>&1 3>&- &
	pid=$!
	within 180 cells_passed out 1
	kill -INT -- -"$pid"
	got=0
	wait "$pid" || got=$?
	[ "$got" -eq 130 ]
	grep -q -- "--resume .*/out goes on with it" log
	within 60 no_process "$qemu_there"
	done_before=$(grep -l pass out/cells/*/*/*/status | xargs stat -c '%n %y')
	echo 2/a >one
	run -0 here "$root/run-all.sh" --resume out --hosts one
	[ "$(grep -l pass out/cells/*/*/*/status | xargs stat -c '%n %y' | grep -cxF "$done_before")" -ge 1 ]
	cmp whole/results.csv out/results.csv
}

@test "machines that are unlike, lack something or do not answer are named" {
	cat >"$machines/b/bin/qemu-system-x86_64" <<-'EOF'
		#!/bin/sh
		echo "QEMU emulator version 9.9.9 (of its own)"
	EOF
	chmod +x "$machines/b/bin/qemu-system-x86_64"
	run -2 here "$root/run-all.sh" "${small[@]}" --hosts both -o out
	[[ $output == *"b has QEMU 9.9.9 (of its own), this machine "*"in virtual time figures would differ"* ]]
	[ ! -e out ]
	rm "$machines/b/bin/qemu-system-x86_64"
	sed -i '/^\tSetEnv/d; /^SetEnv/d' "$machines/b/sshd/config"
	echo 'SetEnv PATH=/root/bin:/bin.without' >>"$machines/b/sshd/config"
	machine_off b
	machine_on b
	mkdir -p "$machines/b/bin"
	for tool in sh bash uname nproc sed tar perl; do ln -sf "$(command -v $tool)" "$machines/b/bin/"; done
	run -2 here "$root/run-all.sh" "${small[@]}" --hosts both -o out
	[[ $output == *"b lacks rsync cpio setpriv qemu-system-x86_64 mkfs.ext4"* ]] || [[ $output == *"b lacks rsync"* ]]
	echo nobody >none
	run -2 here "$root/run-all.sh" "${small[@]}" --hosts none -o out
	[[ $output == *"nobody does not answer: "*"none of the machines answers"* ]]
	for wrong in '-o ProxyCommand=x' 'a b' 'a;b' '0/a' 'a/b/c'; do
		printf '%s\n' "$wrong" >wrong
		run -2 here "$root/run-all.sh" "${small[@]}" --hosts wrong -o out
		[[ $output == *"--hosts: '$wrong' is not"* ]]
	done
	: >empty
	run -2 "$root/run-all.sh" "${small[@]}" --hosts empty -o out
	run -2 "$root/run-all.sh" "${small[@]}" --hosts nosuch -o out
	run -2 "$root/run-all.sh" -k host --hosts both -o out
	[[ $output == *"another one on each machine"* ]]
	[ ! -e out ]
}
