#!/usr/bin/env bats
# What is handed to others: sources, and kernels that boot and are measured without a compiler.

# shellcheck disable=SC2154,SC2164 # root and bin come from common.bash
bats_require_minimum_version 1.5.0

setup_file() {
	load common
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || return 0
	export made=$BATS_FILE_TMPDIR/made
	"$root/scripts/make-dist" --kernels baseline,keys-gc-chunks "$made" >&2
	export version tarball kernels
	version=$(cd "$root" && sed -n 's/^#define SB_VERSION "\(.*\)"/\1/p' core/version.h)
	tarball=$made/stallbench-kernels-$version.tar.zst
	# With what only runs know of, and a blank.
	mkdir "$BATS_FILE_TMPDIR/un packed"
	tar -xf "$tarball" -C "$BATS_FILE_TMPDIR/un packed"
	kernels="$BATS_FILE_TMPDIR/un packed/stallbench-kernels-$version"
}

setup() {
	load common
	cd "$BATS_TEST_TMPDIR"
	export NO_INSTALL=1
}

need_kernels() {
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
}

# A PATH with nothing on it but busybox and QEMU.
bare_path() {
	local busybox applet
	busybox=$(command -v busybox)
	mkdir bare
	for applet in $("$busybox" --list); do ln -sf "$busybox" "bare/$applet"; done
	ln -sf "$(command -v qemu-system-x86_64)" bare/
}

# What would be handed out, were it committed.
copy_tree() {	# copy_tree DIR
	mkdir "$1"
	(
		cd "$root"
		if [ -e .git ]; then
			git -c "safe.directory=$root" ls-files -co --exclude-standard
		else
			sed '1d; s/^[0-9a-f]*  //' SOURCE-SHA256SUMS
		fi | tar --verbatim-files-from -T - -c
	) | tar -x -C "$1"
}

# The tree as somebody without a compiler has it: no programs, and none can be made.
bare_tree() {
	mkdir no-compiler
	copy_tree tree
	for program in make gcc cc; do
		printf '#!/bin/sh\necho "%s was called" >&2\nexit 1\n' "$program" >"no-compiler/$program"
		chmod +x "no-compiler/$program"
	done
	export PATH=$PWD/no-compiler:$PATH XDG_CACHE_HOME=$PWD/cache
	unset STALLBENCH_BIN
}

clone() {	# clone DIR: a copy that is committed
	copy_tree "$1"
	rm -f "$1/SOURCE-SHA256SUMS"
	git -C "$1" init -q
	git -C "$1" add -A
	git -C "$1" -c user.name=t -c user.email=t@t commit -q -m t
}

@test "the sources: the same to the byte, from a clone and from what was made of it" {
	[ -e "$root/.git" ] || skip "not a git clone"
	clone one
	run -0 one/scripts/make-dist --source a
	touch one/README.md
	umask 077
	run -0 one/scripts/make-dist --source b
	cmp a/*.tar.zst b/*.tar.zst
	(cd a && sha256sum -c --quiet ./*.sha256)
	tar -xf a/*.tar.zst
	run -0 stallbench-*/scripts/make-dist --source c
	cmp a/*.tar.zst c/*.tar.zst
	# Nothing goes out that is not what it says.
	echo >>"$(echo stallbench-*/README.md)"
	run -2 stallbench-*/scripts/make-dist --source d
	[[ $output == *"not as it was handed out: README.md"* ]]
	echo >>one/run-all.sh
	run -2 one/scripts/make-dist --source d
	[[ $output == *"not committed: run-all.sh"* ]]
}

@test "the kernels: the same to the byte again, with patches, configuration and checksums" {
	need_kernels
	run -0 "$root/scripts/make-dist" --kernels baseline,keys-gc-chunks again
	cmp again/*.tar.zst "$tarball"
	cd "$kernels"
	sha256sum -c --quiet SHA256SUMS
	[ "$(find . -type f | wc -l)" -eq $(($(wc -l <SHA256SUMS) + 1)) ]
	cmp kernels/keys-gc-chunks/patches/keys-gc-chunks.patch "$root"/kernels/variants/keys-gc-chunks/*.patch
	for file in bzImage config manifest; do [ -s "kernels/baseline/$file" ]; done
	# Neither where they were made nor what they would have to be linked with.
	run ! grep -rqF "$root" .
	for program in bin/*/*; do run ! ldd "$program"; done
}

@test "boot: with busybox and QEMU alone, the same files as boot-kernel's" {
	need_kernels
	bare_path
	command=(keygcbench --phase unused --keys 500 --csv results.csv --env env.csv --quiet)
	run -0 "$root/scripts/boot-kernel" --virtual-time --perturb 3 --out there keys-gc-chunks -- "${command[@]}"
	run -0 env -i PATH="$PWD/bare" busybox sh "$kernels/boot" --perturb 3 --out "here, too" keys-gc-chunks "${command[@]}"
	for file in status results.csv env.csv boot.csv console.log console.csv; do
		cmp "there/$file" "here, too/$file"
	done
	run -1 "$kernels/boot" baseline false
	run -0 "$kernels/boot" baseline
	[[ $output == *"-baseline "* ]]
}

@test "boot: what is wrong is said" {
	need_kernels
	run -2 "$kernels/boot"
	[[ $output == *"  keys-gc-chunks"* ]]
	run -2 "$kernels/boot" nosuch
	run -2 "$kernels/boot" --nosuch baseline
	run -2 "$kernels/boot" --perturb x baseline
	QEMU=nosuch run -2 "$kernels/boot" baseline
	[[ $output == *"no nosuch here"* ]]
	touch file
	run -2 "$kernels/boot" --out . baseline
	[[ $output == *"not empty"* ]]
	cp -r "$kernels" copy
	printf x | dd of=copy/kernels/baseline/bzImage bs=1 seek=5000 conv=notrunc status=none
	run -2 copy/boot baseline
	[[ $output == *"damaged: kernels/baseline/bzImage"* ]]
}

@test "run-all with kernels from a tarball: nothing compiled, and the same as with one's own" {
	need_kernels
	[ -z "${STALLBENCH_BIN-}" ] || [ "$STALLBENCH_BIN" = "$root" ] || skip "other programs than those in the tarball"
	small=(-b keygcbench:unused --no-plots --virtual-time -j 2)
	run -0 "$root/run-all.sh" -k baseline -k keys-gc-chunks+workqueue.cpu_intensive_thresh_us=0 "${small[@]}" -o own -- --keys 500
	bare_tree
	run -0 tree/run-all.sh -k "$tarball:baseline" -k "$kernels:keys-gc-chunks+workqueue.cpu_intensive_thresh_us=0" \
		"${small[@]}" -o out -- --keys 500
	cmp own/results.csv out/results.csv
	cmp own/tables.txt out/tables.txt || diff <(grep -v '^ *pass' own/tables.txt) <(grep -v '^ *pass' out/tables.txt)
	run ! ls tree/build
	# Goes on with what it was begun with.
	rm -r out/cells/baseline
	run -0 tree/run-all.sh --resume out
	cmp own/results.csv out/results.csv
}

@test "damaged, foreign or missing kernels are refused by name" {
	need_kernels
	bare_tree
	refused() {	# refused KERNEL
		run -2 tree/run-all.sh -k "$1" -b keygcbench -o out
		[ ! -e out ]
	}
	refused "$tarball:nosuch"
	[[ $output == *"no 'nosuch' in it (there are: baseline keys-gc-chunks)"* ]]
	refused "./nosuch.tar.zst:baseline"
	[[ $output == *"nosuch.tar.zst: no such file"* ]]
	refused "$root:baseline"
	[[ $output == *"no kernels of make-dist"* ]]
	cp -r "$kernels" copy
	echo >>copy/bin/report/benchcmp
	rm copy/kernels/baseline/config
	refused "copy:baseline"
	[[ $output == *"copy is damaged: bin/report/benchcmp: FAILED, kernels/baseline/config: FAILED open or read"* ]]
	rm -r copy
	cp -r "$kernels" copy
	echo 0.0.1 >copy/VERSION
	(cd copy && sed -i "s/^.*  VERSION\$/$(sha256sum VERSION)/" SHA256SUMS)
	refused "copy:baseline"
	[[ $output == *"of stallbench 0.0.1, and this is $version"* ]]
	head -c 2000000 "$tarball" >cut.tar.zst
	refused "./cut.tar.zst:baseline"
	[[ $output == *"cut.tar.zst is damaged: it does not unpack"* ]]
	cp "$tarball" flipped.tar.zst
	cp "$tarball.sha256" flipped.tar.zst.sha256
	printf x | dd of=flipped.tar.zst bs=1 seek=100000 conv=notrunc status=none
	refused "./flipped.tar.zst:baseline"
	[[ $output == *"flipped.tar.zst is damaged: its checksum"* ]]
	# A copy in the cache that came to harm is no reason to give up.
	rm -rf cache/stallbench/dist/*/*/initramfs
	refused "$tarball:nosuch"
	[[ $output == *initramfs* ]] || [[ $output == *"no 'nosuch'"* ]]
}
