#!/usr/bin/env bats
# What is handed out, on a machine that has nothing: no compiler, no kernel source, no QEMU yet.

# shellcheck disable=SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup() {
	load common
	need_root
	[ -n "${STALLBENCH_FULL-}" ] || skip "makes a Debian of its own: with STALLBENCH_FULL=1"
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
	command -v debootstrap >/dev/null || skip "no debootstrap (scripts/deps bare)"
	cd "$BATS_TEST_TMPDIR"
	bare=$PWD/bare
}

# The mirror and the suites of this machine, as far as they are Debian's.
bare_machine() {
	local file mirror
	mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -oE 'https?://[^ ]*/debian/?( |$)' | head -n 1)
	debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$bare" ${mirror:+"$mirror"} >debootstrap.log 2>&1 ||
		{ tail debootstrap.log; return 1; }
	rm -f "$bare"/etc/apt/sources.list
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
		! grep -qsE '/debian(-security)?/?( |$)' "$file" || cp "$file" "$bare${file%/*}/"
	done
	cp /etc/resolv.conf "$bare/etc/"
}

# A command there, with folders of the kernel's that every machine has.
in_bare() {
	# shellcheck disable=SC2016 # for the shell inside
	unshare --mount --pid --fork sh -c '
		bare=$1 && shift && mount -t proc proc "$bare/proc" && mount --rbind /dev "$bare/dev" &&
		exec chroot "$bare" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' sh "$bare" "$@" </dev/null
}

clone() {	# clone DIR: what is in $root, committed
	mkdir "$1"
	(cd "$root" && git -c "safe.directory=$root" ls-files -co --exclude-standard | tar --verbatim-files-from -T - -c) | tar -x -C "$1"
	git -C "$1" init -q
	git -C "$1" add -A
	git -C "$1" -c user.name=t -c user.email=t@t commit -q -m t
}

@test "a Debian with no compiler: one command gives the table of the machine that built, to the byte" {
	clone source
	source/scripts/make-dist --source dist
	"$root/scripts/make-dist" --kernels baseline,keys-gc-chunks dist
	# Where it is made makes no difference.
	source/scripts/make-dist --kernels baseline,keys-gc-chunks elsewhere
	cmp dist/stallbench-kernels-*.tar.zst elsewhere/stallbench-kernels-*.tar.zst
	run -0 "$root/run-all.sh" -k baseline -k keys-gc-chunks -b keygcbench --virtual-time --no-plots -o own -- --keys 10000
	bare_machine
	zstd -dc dist/stallbench-[0-9]*.tar.zst | tar -x -C "$bare/root"
	cp dist/stallbench-kernels-*.tar.zst "$bare/root/kernels.tar.zst"
	for program in gcc cc make ld qemu-system-x86_64; do run ! in_bare which $program; done
	run -0 in_bare bash -c 'cd /root/stallbench-* && ./run-all.sh -k ../kernels.tar.zst:baseline -k ../kernels.tar.zst:keys-gc-chunks \
		-b keygcbench --virtual-time --no-plots -o /root/out -- --keys 10000'
	echo "$output"
	for program in gcc cc make ld; do run ! in_bare which $program; done
	run ! ls "$bare"/usr/src/linux-source-*
	for file in results.csv summary.csv columns.csv tables.txt cells/{baseline,keys-gc-chunks}/keygcbench/boot1/{results,hist,env,events,boot}.csv; do
		[ -s "own/$file" ]
		cmp "own/$file" "$bare/root/out/$file"
	done
	grep -q 'combined: *min=' own/tables.txt
}
