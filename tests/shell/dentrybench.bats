#!/usr/bin/env bats
# dentrybench by itself, as a user calls it.

# shellcheck disable=SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup() {
	load common
	dentrybench=$bin/dentrybench/dentrybench
	cd "$BATS_TEST_TMPDIR"
	mounted=''
}

# A test that fails half-way must leave neither a run nor a mount behind.
teardown() {
	[ -z "${pid-}" ] || kill -KILL "$pid" 2>/dev/null || true
	[ -z "$mounted" ] || umount "$mounted" || umount -l "$mounted"
	[ -z "${shm-}" ] || rm -r --one-file-system "$shm"
}

# A folder on ext4: $disk. Where bats' own is on something else, a loop mount.
on_ext4() {
	disk=$PWD/disk
	mkdir -p "$disk"
	[ "$(stat -f -c %T .)" != ext2/ext3 ] || return 0
	small_disk 64M
}

small_disk() {	# small_disk SIZE [MKFS OPTION...]
	need_root
	disk=$PWD/disk
	mkdir -p "$disk"
	truncate -s "$1" image
	shift
	mkfs.ext4 -q -F "$@" image
	mount -o loop image "$disk" || skip "no loop mounts here"
	mounted=$disk
}

# Whether VALUE is within TOLERANCE of EXPECTED.
near() {	# near VALUE EXPECTED TOLERANCE
	awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; exit !(d <= t && -d <= t) }'
}

# Runs dentrybench until nr_negative has moved as expected. It is the machine's count: what others
# do at the same time is in it, so a run may be spoilt. What they do is looked at after each such
# run for as long as it took.
counted() {	# counted EXPECTED TOLERANCE ARGUMENTS...
	local expected=$1 tolerance=$2 took before busy='' cached=1000
	shift 2
	# Several directories have no such figure.
	[[ " $* " != *" per-thread "* ]] || cached=
	for _ in 1 2 3 4; do
		took=${EPOCHREALTIME/./}
		run -0 "$dentrybench" --quiet --dir "$disk" --count "$expected" --csv out.csv "$@"
		took=$((${EPOCHREALTIME/./} - took))
		# These are looked for by name.
		[ "$(field out.csv negative_create cached avg)" = "$cached" ]
		! near "$(field out.csv negative_create retained avg)" "$expected" "$tolerance" ||
			! near "$(field out.csv negative_create second_pass avg)" 0 "$tolerance" ||
			return 0
		before=$(negatives)
		sleep "${took}e-6"
		near "$(negatives)" "$before" "$tolerance" || busy=1
	done
	cat out.csv
	[ -z "$busy" ] || skip "others make and drop dentries right now"
	return 1
}

negatives() { awk '{ print $5 }' /proc/sys/fs/dentry-state; }

left_behind() { find "$1" -name 'dentrybench-*' | grep .; }

# As many names as take seconds: $many.
need_many_names() {
	run -2 "$dentrybench" --dir "$disk" --count 10000000000
	[[ $output =~ " MiB: "([0-9,]+)" fit" ]]
	# There may be a little less memory in a moment.
	many=$((${BASH_REMATCH[1]//,/} * 9 / 10))
	[ "$many" -le 30000000 ] || many=30000000
	[ "$many" -ge 3000000 ] || skip "memory for $many names only"
}

need_uring() {
	run "$dentrybench" --quiet --dir "$disk" --count 1000 --engine uring --phase positive_lookup
	[ "$status" -ne 77 ] || skip "${lines[0]}"
	[ "$status" -eq 0 ]
}

# Mounts and cgroups of runs, those of earlier ones that were killed included; and that no other
# one is there.
own_places() {
	{
		grep -o "dentrybench-[^ ]*" /proc/self/mounts || true
		find /sys/fs/cgroup -maxdepth 2 -name 'dentrybench-*'
	} | sort
}
none_but() {	# none_but EARLIER
	local new
	new=$(comm -13 <(printf '%s\n' "$1") <(own_places))
	[ -z "$new" ] || { printf '%s\n' "$new"; return 1; }
}

@test "rates, and as many negative dentries as names; nothing left behind" {
	on_ext4
	counted 200000 2000 --hist hist.csv --events events.csv --env env.csv
	[ "$(head -n 1 out.csv)" = "kernel,bench,boot,phase,metric,unit,better,n,errors,min,avg,max,var,p50,p90,p99,p999" ]
	for phase in positive_lookup negative_lookup negative_create; do
		[ "$(field out.csv $phase rate n)" -ge 10 ]
		[ "$(field out.csv $phase latency n)" -eq 20000 ]
		for metric in rate latency; do
			[ "$(field out.csv $phase $metric errors)" -eq 0 ]
		done
		[ "$(field out.csv $phase clock n)" -gt 0 ]
	done
	[ "$(field out.csv negative_create cached avg)" -eq 1000 ]
	# 192 bytes each, and what else the machine does; twice that would be wrong. A machine on which a large tree has just been deleted has room for
	# all of them in slabs that are there already, so there is no least.
	[ "$(field out.csv negative_create sreclaimable avg)" -lt 60000000 ]
	[ "$(field out.csv positive_lookup cached avg)" -eq 1000 ]
	[ "$(field out.csv negative_lookup cached avg)" -eq 1000 ]
	for phase in rmdir inotify_add; do
		[ "$(field out.csv $phase stall n)" -eq 1 ]
		[ "$(field out.csv $phase stall_none n)" -eq 1 ]
		[ "$(field out.csv $phase retained n)" -eq 1 ]
	done
	# More than half, whatever others do: the removed directory's; the watched one keeps its own.
	[ "$(field out.csv rmdir released avg)" -gt 100000 ]
	[ "$(field out.csv inotify_add released avg)" -lt 100000 ]
	# A point of the time line after each interval, and one before.
	[ "$(grep -c ',negative_create,nr_negative,' events.csv)" -eq 101 ]
	[ -e /proc/sys/fs/neg-dentry-limit ] || run ! grep -q 'neg-dentry' env.csv
	grep -q '^sysctl.vm.vfs_cache_pressure,' env.csv
	run ! grep -qi nan out.csv hist.csv
	awk -F, 'NF != 17 { exit 1 }' out.csv
	run ! left_behind "$disk"
}

@test "what disturbs the machine is left out on the host, and said so" {
	[ -z "${STALLBENCH_ACCEL-}" ] || skip "in a guest"
	run -77 "$dentrybench" --dir . --count 1000 --phase umount,drop_caches,positive_survivors --csv out.csv
	for phase in umount drop_caches positive_survivors; do
		[[ $output == *"$phase: skipped: disturbs the whole machine: --disturb yes allows it"* ]]
	done
	[ "$(wc -l <out.csv)" -eq 1 ]
}

@test "umount and survivors, when they are wanted: counted, unmounted, no cgroup left" {
	need_root
	on_ext4
	places=$(own_places)
	# Reclaim gives up before it gets at the dentries now and then (there is no figure then), and
	# what is retained has others' dentries in it.
	for _ in 1 2 3; do
		run "$dentrybench" --quiet --dir "$disk" --count 100000 --disturb yes --phase umount,positive_survivors --csv out.csv
		[[ $output != *skipped* ]] || skip "${lines[0]}"
		[ "$(field out.csv umount released n)" -eq 1 ]
		[ "$(field out.csv umount stall n)" -eq 1 ]
		[ "$(field out.csv positive_survivors cached avg)" -eq 1000 ]
		none_but "$places"
		left=$(field out.csv positive_survivors survivors avg)
		retained=$(field out.csv positive_survivors retained avg)
		[ "$status" -ne 0 ] || [ -z "$left" ] || [ "$retained" -ge 50000 ] || break
	done
	[ "$status" -eq 0 ]
	[ -n "$left" ] && [ "$left" -ge 0 ] && [ "$left" -le 1000 ]
	# The flood did not fit, or there would have been no pressure.
	[ "$retained" -lt 50000 ]
	run ! left_behind "$disk"
	run -77 "$dentrybench" --dir "$disk" --count 99999 --disturb yes --phase positive_survivors
	[[ $output == *"needs --count 100,000 or more"* ]]
}

@test "memory is not handed on to new cgroups: skipped with the reason, and none left" {
	need_root
	unshare -m true || skip "no mount namespace of our own here"
	mkdir group
	echo cpu memory >group/cgroup.controllers
	echo "none $PWD/group cgroup2 rw 0 0" >mounts
	# shellcheck disable=SC2016 # for the shell inside
	run -77 unshare -m sh -c 'mount --bind mounts "/proc/$$/mounts" && exec "$@"' sh \
		"$dentrybench" --quiet --dir . --count 100000 --disturb yes --phase positive_survivors
	[[ $output == *"skipped: a new cgroup in $PWD/group has no memory.current"* ]]
	[ "$(ls group)" = cgroup.controllers ]
}

@test "tmpfs keeps none: said, no rates of what does not exist" {
	[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip "no tmpfs at /dev/shm"
	shm=$(mktemp -d /dev/shm/test-dentrybench.XXXXXX)
	run -0 "$dentrybench" --dir "$shm" --count 5000 --csv out.csv
	[[ $output == *"negative_create: $shm keeps none: of 1000 names missed, 0 are cached"* ]]
	[[ $output == *"rmdir: skipped: $shm keeps none"* ]]
	for phase in negative_lookup negative_create; do
		for metric in rate latency; do
			[ "$(field out.csv $phase $metric n)" -eq 0 ]
			[ "$(field out.csv $phase $metric errors)" -eq 1000 ]
			[ -z "$(field out.csv $phase $metric avg)" ]
		done
		[ "$(field out.csv $phase retained avg)" -eq 0 ]
	done
	[ "$(field out.csv positive_lookup rate n)" -ge 10 ]
	run ! left_behind "$shm/"
}

@test "more names than memory are refused, with the arithmetic" {
	run -2 "$dentrybench" --dir . --count 1000,10000000000
	[[ $output == *"--count 10,000,000,000 does not fit: 10,000,100,000 dentries of 196 bytes are "*" MiB, four fifths of "*" are "*" MiB: "*" fit"* ]]
	run -2 "$dentrybench" --dir . --count 10000000000 --name-length 255
	[[ $output == *"dentries of 708 bytes"* ]]
	run ! left_behind .
}

@test "a second run meets none of the first one's names" {
	on_ext4
	counted 100000 1000 --seed 7 --phase negative_create
	counted 100000 1000 --seed 7 --phase negative_create
}

@test "threads, in one directory and in their own; long names" {
	on_ext4
	for layout in shared per-thread; do
		counted 100000 2000 --threads 3 --layout $layout --phase positive_lookup,negative_lookup,negative_create
		dirs=1
		[ $layout = shared ] || dirs=3
		[ "$(field out.csv negative_lookup cached avg)" -eq $((1000 * dirs)) ]
		[ "$(field out.csv positive_lookup cached avg)" -eq $((1000 * dirs)) ]
		for phase in positive_lookup negative_lookup negative_create; do
			[ "$(field out.csv $phase rate errors)" -eq 0 ]
			[ "$(field out.csv $phase latency n)" -eq 10000 ]
		done
	done
	# A long name lies in 512 bytes of its own, beside the dentry's 192. Of the short ones' 9.6 MB any
	# part may be had from slabs that are there already, so the long ones' 35 MB must be more than that,
	# too. What the run before has let go is freed later, and others' slabs are in it.
	for _ in 1 2 3; do
		for length in 20 255; do
			sleep 1
			run -0 "$dentrybench" --quiet --dir "$disk" --count 50000 --name-length $length --phase negative_create --csv $length.csv
		done
		short=$(field 20.csv negative_create sreclaimable avg)
		long=$(field 255.csv negative_create sreclaimable avg)
		! [ "$long" -gt 15000000 ] || ! [ "$((2 * long))" -gt $((3 * short)) ] || break
	done
	[ "$long" -gt 15000000 ]
	[ "$((2 * long))" -gt $((3 * short)) ]
}

@test "io_uring: the same counts" {
	on_ext4
	need_uring
	counted 100000 2000 --engine uring --threads 2
	for phase in positive_lookup negative_lookup negative_create; do
		[ "$(field out.csv $phase rate n)" -eq 100 ]
		[ "$(field out.csv $phase rate errors)" -eq 0 ]
		[ "$(field out.csv $phase latency errors)" -eq 0 ]
	done
	[ "$(field out.csv negative_create cached avg)" -eq 1000 ]
}

@test "io_uring missing or forbidden: skipped with the reason, no rows" {
	deny=$bin/build/host/tests/tools/deny
	[ -x "$deny" ] || deny=$bin/tests/tools/deny
	run -77 "$deny" 38 "$dentrybench" --dir . --count 1000 --engine uring --csv out.csv
	[[ $output == *"skipped: engine uring: Function not implemented (a kernel without it?)"* ]]
	run -77 "$deny" 1 "$dentrybench" --dir . --count 1000 --engine uring --csv out.csv
	[[ $output == *"skipped: engine uring: Operation not permitted"* ]]
	[ "$(wc -l <out.csv)" -eq 1 ]
	run -0 "$deny" 1 "$dentrybench" --quiet --dir . --count 1000 --phase positive_lookup --csv out.csv
}

@test "a scaling run labels its phases" {
	run -0 "$dentrybench" --quiet --dir . --count 1000,2000 --phase positive_lookup --csv out.csv
	[ "$(field out.csv positive_lookup/1000 latency n)" -eq 100 ]
	[ "$(field out.csv positive_lookup/2000 latency n)" -eq 200 ]
}

# Interrupts a run as soon as SIGN shows that it is under way; its folder must be gone, and it may
# not go on.
interrupted() {	# interrupted SIGNAL STATUS SIGN ARGUMENTS...
	local signal=$1 expected=$2 sign=$3 got=0
	shift 3
	names_before=$(negatives)
	"$dentrybench" --quiet --dir "$disk" "$@" --csv out.csv 3>&- &
	pid=$!
	within 60 "$sign"
	kill -0 "$pid"
	left_behind "$disk"
	kill -"$signal" "$pid"
	wait "$pid" || got=$?
	[ "$got" -eq "$expected" ]
	run ! left_behind "$disk"
}

files_there() { find "$disk" -path '*/dentrybench-*/*' -type f -print -quit | grep -q .; }
names_there() { [ "$(negatives)" -gt $((names_before + 20000)) ]; }
names_in_own_place() { own_places | grep -q "dentrybench-$pid" && names_there; }

@test "SIGINT while making files" {
	on_ext4
	interrupted INT 130 files_there --files 1000000 --phase positive_lookup
}

@test "SIGINT while creating, with threads and io_uring" {
	on_ext4
	need_many_names
	interrupted INT 130 names_there --count "$many" --phase negative_create
	need_uring
	interrupted INT 130 names_there --count "$many" --phase rmdir --threads 2 --engine uring
}

@test "SIGTERM with a file system of its own mounted, and in a cgroup" {
	need_root
	on_ext4
	need_many_names
	places=$(own_places)
	for phase in umount positive_survivors; do
		run "$dentrybench" --quiet --dir "$disk" --count 100000 --disturb yes --phase $phase
		[ "$status" -ne 77 ] || skip "${lines[0]}"
		interrupted TERM 143 names_in_own_place --count "$many" --disturb yes --phase $phase
		none_but "$places"
	done
}

@test "memory of its own stays below 16 MiB, however many names" {
	on_ext4
	"$dentrybench" --quiet --dir "$disk" --count 1000000 --threads 8 --layout per-thread --phase negative_create --csv out.csv 3>&- &
	pid=$!
	peak=0
	while kill -0 "$pid" 2>/dev/null; do
		now=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null) || true
		[ -z "$now" ] || peak=$now
		sleep 0.05
	done
	wait "$pid"
	[ -n "${STALLBENCH_BIN-}" ] || [ "$peak" -lt 16384 ]
	[ "$peak" -gt 0 ]
}

@test "folders that are not there, or cannot be written" {
	run -2 "$dentrybench" --dir nosuch --count 1000
	[[ $output == *"--dir 'nosuch': No such file or directory"* ]]
	run -2 "$dentrybench" --dir /proc --count 1000
	[[ $output == *"making a folder in /proc: "* ]]
	STALLBENCH_SCRATCH=nosuch run -2 "$dentrybench" --count 1000
	[[ $output == *"'nosuch': No such file"* ]]
}

@test "a full disk: an error that names the file, and everything removed" {
	small_disk 8M -N 64
	run -1 "$dentrybench" --quiet --dir "$disk" --count 1000 --phase positive_lookup --csv out.csv
	[[ $output == *"making file $disk/dentrybench-"*": No space left on device"* ]]
	run ! left_behind "$disk"
}

@test "folders with spaces, commas, % and a leading dash" {
	mkdir -- "-a b,c%d"
	run -0 "$dentrybench" --quiet "--dir=-a b,c%d" --count 1000 --phase positive_lookup,rmdir --csv out.csv
	[ "$(field out.csv positive_lookup rate n)" -eq 100 ]
	run ! left_behind .
}

@test "bad values of every option are refused with the option's name" {
	while read -r option value; do
		run "$dentrybench" "--$option=$value"
		[ "$status" -eq 2 ]
		[[ $output == *"--$option: "* ]]
	done <<-EOF
		count 999
		count 1e6
		count 10000000001
		threads 0
		threads 1025
		layout nosuch
		engine nosuch
		name-length 19
		name-length 256
		files 0
		files 1000001
		misses 0
		disturb maybe
		phase nosuch
	EOF
}

# A pipe of dentry-state's lines, each of a smaller count. A reader takes 4096 bytes at once, so the
# lines are of 64.
falling_counts() {	# falling_counts FIFO
	local negative=149090000
	exec 8<>"$1"
	while [ -e "$1" ]; do
		printf '%-63s\n' "1902570000 1888370000 45 0 $((negative -= 100)) 0" >&8
	done
}

@test "others drop dentries meanwhile: a delta below zero, and no wrapped number" {
	need_root
	unshare -m true || skip "no mount namespace of our own here"
	mkfifo counts
	falling_counts counts 3>&- &
	pid=$!
	run -0 timeout 60 unshare -m sh -c 'mount --bind counts /proc/sys/fs/dentry-state && exec "$@"' sh \
		"$dentrybench" --quiet --dir . --count 1000 --phase negative_create --csv out.csv --hist hist.csv
	rm counts
	moved=$(field out.csv negative_create retained avg)
	[ "$moved" -lt 0 ] && [ "$moved" -gt -10000000 ]
	grep -q ",negative_create,retained,count,-[0-9]*,-[0-9]*,1$" hist.csv
}

@test "no cpufreq, as in most virtual machines: its governor is unknown, and nothing fails" {
	need_root
	unshare -m true || skip "no mount namespace of our own here"
	run -0 unshare -m sh -c 'mount -t tmpfs none /sys/devices/system/cpu && exec "$@"' sh \
		"$dentrybench" --quiet --dir . --count 1000 --phase positive_lookup --csv out.csv --env env.csv
	grep -qx 'governor,unknown' env.csv
	[ "$(field out.csv positive_lookup rate errors)" -eq 0 ]
}

@test "help and lists" {
	run -0 "$dentrybench" --help
	[[ $output == *"--dir=TEXT"*"--engine=sync|uring"* ]]
	run -0 "$dentrybench" --list-phases
	[ "${#lines[@]}" -eq 8 ]
	[[ ${lines[0]} == positive_lookup* ]] && [[ ${lines[1]} == negative_lookup* ]] && [[ ${lines[2]} == negative_create* ]]
	run -0 "$dentrybench" --list-metrics
	[[ $output == *"dentrybench,rate,1/s,higher,avg,"* ]]
}
