#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031
# scripts/build-kernel on a kernel tree of a few lines, whose Makefile does what it asks for.

bats_require_minimum_version 1.5.0

setup() {
	load common
	"$BATS_TEST_DIRNAME/../../scripts/deps" --no-install --quiet kernel ||
		skip "what kernels are built with is not installed (scripts/deps kernel)"
	here=$BATS_TEST_TMPDIR/here
	tree=$BATS_TEST_TMPDIR/tree
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	# With some source there it does not ask for the room that a kernel takes.
	mkdir -p "$XDG_CACHE_HOME/stallbench/src/x"
	mkdir -p "$here/kernels/variants"/{plain,patched} "$here/kernels/flavours" "$tree/kernel"
	cp -r "$BATS_TEST_DIRNAME/../../scripts" "$here/"
	printf '# why\nCONFIG_SMP=y\n# CONFIG_FAST is not set\n' >"$here/kernels/base.config"
	echo 9.9 >"$here/kernels/made-for"
	printf 'CONFIG_SLOW=y\n' >"$here/kernels/debug.config"
	printf 'CONFIG_HZ=1000\n' >"$here/kernels/flavours/hz.config"
	echo 'Nothing changed' >"$here/kernels/variants/plain/about"
	echo 'One line changed' >"$here/kernels/variants/patched/about"
	echo 'one.patch' >"$here/kernels/variants/patched/series"
	printf -- '--- a/kernel/a.c\n+++ b/kernel/a.c\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n' \
		>"$here/kernels/variants/patched/one.patch"
	printf 'one\ntwo\nthree\n' >"$tree/kernel/a.c"
	: >"$tree/Kconfig"
	# An object is made when its source is newer; what was compiled is put on record.
	cat >"$tree/Makefile" <<'EOF'
allnoconfig:
	@grep CONFIG_ $(KCONFIG_ALLCONFIG) | grep -v CONFIG_DROP >$(O)/.config
bzImage: $(O)/a.o
	@mkdir -p $(O)/arch/x86/boot $(O)/include/config
	@cat $(O)/a.o $(O)/.config >$(O)/vmlinux
	@cp $(O)/vmlinux $(O)/arch/x86/boot/bzImage
	@: >$(O)/System.map
	@echo 1.0$(LOCALVERSION) >$(O)/include/config/kernel.release
$(O)/a.o: kernel/a.c
	@echo "  CC      a.o"
	@! grep -q syntax $<
	@! grep -q sleep $< || sleep 60
	@echo x >>$(HOME)/compiled
	@cp $< $@
modules:
EOF
	export HOME=$BATS_TEST_TMPDIR
	cd "$here" || return
}

build() { run scripts/build-kernel --no-install --source "$tree" "$@"; }
compiled() { wc -l <"$HOME/compiled"; }

@test "a kernel is built, with a manifest that holds; a second time it is there already" {
	build --as k plain
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(sed -n 's/^sha256.bzImage=//p' build/kernels/k/manifest)" = \
		"$(sha256sum <build/kernels/k/bzImage | cut -d' ' -f1)" ]
	grep -qx 'release=1.0-plain' build/kernels/k/manifest
	build --as k plain
	[[ $output == *"built before"* ]]
	[ "$(compiled)" -eq 1 ]
}

@test "a kernel nobody asked for in 60 days is forgotten, one that was used is kept" {
	build --as a plain
	build --as b patched
	[ "$(find "$XDG_CACHE_HOME/stallbench/kernels" -name manifest | wc -l)" -eq 2 ]
	find "$XDG_CACHE_HOME/stallbench/kernels" -mindepth 1 -maxdepth 1 -exec touch -d '62 days ago' {} +
	build --as a plain
	[[ $output == *"built before"* ]]
	echo CONFIG_MORE=y >>kernels/base.config
	build --as c plain
	[ "$status" -eq 0 ]
	# a, which was used, and c; b is gone.
	[ "$(find "$XDG_CACHE_HOME/stallbench/kernels" -name manifest | wc -l)" -eq 2 ]
	sed -i '$d' kernels/base.config
	build --as a plain
	[[ $output == *"built before"* ]]
	build --as b patched
	[[ $output != *"built before"* ]]
}

@test "ccache gives an object back for the same source, and never one with other data in it" {
	# shellcheck disable=SC2016 # make expands it
	sed -i 's/@cp $< $@/@$(CC) -Wp,-MMD,$(O)\/a.d -c -o $@ $</' "$tree/Makefile"
	counted() { CCACHE_DIR=$XDG_CACHE_HOME/stallbench/ccache ccache --print-stats | grep -P "^$1\t"; }
	echo 'int x;' >"$tree/kernel/a.c"
	build --as k plain
	[ "$status" -eq 0 ]
	for ((i = 1; i <= 2; i++)); do
		echo $i >"$tree/changed"
		rm -r "$XDG_CACHE_HOME"/stallbench/src/tree-*
		build --as k plain
	done
	[ "$(compiled)" -eq 3 ]
	[ "$(counted direct_cache_hit)" = $'direct_cache_hit\t2' ]
	# Not preprocessed, nor looked for by what comes out of that.
	[ "$(counted preprocessed_cache_miss)" = $'preprocessed_cache_miss\t0' ]

	# As the kernel has its compressed image, and its own configuration.
	echo '__asm__(".section .rodata; .incbin \"kernel/data\"");' >"$tree/kernel/a.c"
	for data in aaaa bbbb; do
		echo $data >"$tree/kernel/data"
		rm -r "$XDG_CACHE_HOME"/stallbench/src/tree-*
		build --as k plain
		grep -q $data build/kernels/k/bzImage
	done
}

@test "--no-build only fetches what is finished" {
	build --no-build plain
	[ "$status" -eq 1 ]
	[[ $output == *"not built before: plain"* ]]
	[ ! -e "$HOME/compiled" ]
	build plain
	rm -rf build
	build --no-build plain
	[ "$status" -eq 0 ]
	[ -e build/kernels/tree-plain/bzImage ]
	[ "$(compiled)" -eq 1 ]
}

@test "what an architecture adds goes to its places, and to no other" {
	printf 'CONFIG_FIRST=y\n#@ here\nCONFIG_LAST=y\n' >kernels/base.config
	mkdir kernels/arch
	printf '# why\n#@ here\n# CONFIG_MIDDLE is not set\nCONFIG_MIDST=y\n' >kernels/arch/x86_64.config
	build plain
	[ "$status" -eq 0 ]
	[ "$(cut -d= -f1 build/kernels/tree-plain/config | paste -s -d ' ')" = \
		"CONFIG_FIRST # CONFIG_MIDDLE is not set CONFIG_MIDST CONFIG_LAST" ]
	echo '#@ there' >>kernels/arch/x86_64.config
	echo CONFIG_ODD >>kernels/arch/x86_64.config
	build plain
	[ "$status" -eq 2 ]
	[[ $output == *"kernels/arch/x86_64.config: no place 'there' in base.config"* ]]
	[[ $output == *"arch/x86_64.config:6: CONFIG_ODD"* ]]
}

@test "an architecture nobody knows is refused, with those that are known" {
	run -2 scripts/build-kernel --no-install --source "$tree" --arch nosuch plain
	[[ $output == *"nothing is known of 'nosuch' (there are: arm64 x86_64)"* ]]
}

@test "another clone finds it; a damaged one is built again" {
	build plain
	mv "$here" "$here 2"
	cd "$here 2" || return
	rm -rf build
	build plain
	[[ $output == *"built before"* ]]
	echo damage >>"$(echo "$XDG_CACHE_HOME"/stallbench/kernels/*/bzImage)"
	build plain
	[ "$status" -eq 0 ]
	[[ $output == *"is damaged"* ]]
	[ "$(grep -c damage build/kernels/tree-plain/bzImage)" -eq 0 ]
}

@test "variants take turns in one tree, which is left as it was" {
	build plain patched
	[ "$status" -eq 0 ]
	grep -qx two build/kernels/tree-plain/bzImage
	grep -qx 2 build/kernels/tree-patched/bzImage
	build --fresh plain
	grep -qx two build/kernels/tree-plain/bzImage
	[ "$(ls -A "$tree")" = "$(printf 'Kconfig\nMakefile\nkernel')" ]
	grep -qx two "$tree/kernel/a.c"
}

@test "a variant whose headers many include is built last, another's headers do not matter" {
	mkdir -p "$tree"/include/linux kernels/variants/{all,few}
	: >"$tree/include/linux/few.h"
	for name in a b; do echo '#include <linux/all.h>' >"$tree/include/linux/$name.h"; done
	for name in all few; do
		echo One header changed >kernels/variants/$name/about
		echo header.patch >kernels/variants/$name/series
		printf 'old\n' >"$tree/include/linux/$name.h"
		printf -- '--- a/include/linux/%s.h\n+++ b/include/linux/%s.h\n@@ -1 +1 @@\n-old\n+new\n' $name $name \
			>kernels/variants/$name/header.patch
	done
	build --all
	[ "$status" -eq 0 ]
	[ "$(sed -nE 's/^tree-(.*): building.*/\1/p' <<<"$output" | tr '\n' ' ')" = "few patched plain all " ]
}

@test "a changed source, a changed patch and a flavour are other kernels" {
	build patched
	sed -i 's/^+2/+zwei/' kernels/variants/patched/one.patch
	build patched
	grep -qx zwei build/kernels/tree-patched/bzImage
	printf 'one\ntwo\nthree\nfour\n' >"$tree/kernel/a.c"
	touch -d 2001-01-01 "$tree/kernel/a.c"
	build patched patched@hz
	grep -qx four build/kernels/tree-patched/bzImage
	grep -qx CONFIG_HZ=1000 build/kernels/tree-patched@hz/config
}

@test "a patch that does not apply: named with file and hunk, nothing built" {
	sed -i 's/two/deux/' "$tree/kernel/a.c"
	build plain patched
	[ "$status" -eq 2 ]
	[[ $output == *one.patch* && $output == *kernel/a.c* && $output == *"Hunk #1"* ]]
	[[ $output == *"(they are for 9.9)"* ]]
	[ ! -e build/kernels/tree-plain ]
}

@test "a configuration line that does not survive: named before anything is compiled" {
	printf 'CONFIG_DROP=y\n' >kernels/variants/patched/config
	build plain patched
	[ "$status" -eq 2 ]
	[[ $output == *"patched: configuration lines"*"CONFIG_DROP=y (is: # absent)"* ]]
	[ ! -e "$HOME/compiled" ]
	build --allow-dropped patched
	[ "$status" -eq 0 ]
}

@test "what is missing is named all at once, before anything is built" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	unshare -m true || skip "no mount namespace of our own here"
	mkdir "$BATS_TEST_TMPDIR/path"
	ln -sf /usr/bin/* /usr/sbin/* "$BATS_TEST_TMPDIR/path/"
	rm "$BATS_TEST_TMPDIR"/path/{bc,flex,bison}
	# libelf is a header; with it the others of that folder are gone, too.
	PATH=$BATS_TEST_TMPDIR/path run unshare -m sh -c 'mount -t tmpfs none /usr/include && exec "$@"' sh \
		scripts/build-kernel --no-install --source "$tree" plain
	echo "$output"
	[ "$status" -eq 2 ]
	[[ $output == *"missing: "*flex*bison*" bc "*libelf-dev* ]]
	[ ! -e "$HOME/compiled" ]
}

@test "everything wrong is named at once, with status 2" {
	echo 'CONFIG_ODD' >>kernels/base.config
	echo 'two.patch' >>kernels/variants/patched/series
	: >"$tree/.config"
	build -j x patched nosuch plain@nosuch
	[ "$status" -eq 2 ]
	[[ $output == *"base.config:4: CONFIG_ODD"* ]]
	[[ $output == *"two.patch, which is not there"* ]]
	[[ $output == *"was built in (it has .config)"* ]]
	[[ $output == *"no variant 'nosuch'"* ]]
	[[ $output == *"no flavour 'nosuch'"* ]]
	[[ $output == *"-j needs a number"* ]]
}

@test "a series builds on another variant's; not on itself, nor on one that is not there" {
	mkdir kernels/variants/further
	echo 'Two lines changed' >kernels/variants/further/about
	printf '@patched\nthree.patch\n' >kernels/variants/further/series
	printf -- '--- a/kernel/a.c\n+++ b/kernel/a.c\n@@ -1,3 +1,3 @@\n one\n 2\n-three\n+3\n' \
		>kernels/variants/further/three.patch
	build --as k further
	[ "$status" -eq 0 ]
	[ "$(head -n 3 build/kernels/k/bzImage)" = $'one\n2\n3' ]
	grep -q '^patch.*one.patch' build/kernels/k/manifest
	# What it builds on is part of what it is.
	sed -i 's/^+2/+zwei/' kernels/variants/patched/one.patch
	sed -i 's/^ 2$/ zwei/' kernels/variants/further/three.patch
	build --as k further
	[[ $output != *"built before"* ]]
	echo '@further' >>kernels/variants/patched/series
	build --as k further
	[ "$status" -eq 2 ]
	[[ $output == *"its series names @further, which is not there"* ]]
	echo '@nosuch' >kernels/variants/further/series
	build --as k further
	[ "$status" -eq 2 ]
	[[ $output == *"its series names @nosuch, which is not there"* ]]
}

@test "a build that fails: status 1, its error shown, no kernel; the others are built" {
	sed -i 's/^+2/+syntax/' kernels/variants/patched/one.patch
	build patched plain
	[ "$status" -eq 1 ]
	[[ $output == *"Error 1"* && $output == *"failed: tree-patched"* ]]
	[ ! -e build/kernels/tree-patched ]
	[ -e build/kernels/tree-plain/bzImage ]
}

nothing_runs_there() {
	local cwd
	for cwd in /proc/[0-9]*/cwd; do
		[[ $(readlink "$cwd") != "$XDG_CACHE_HOME"* ]] || return 1
	done
}

@test "a build that is interrupted: status 130, no kernel, nothing left running" {
	sed -i 's/^+2/+sleep/' kernels/variants/patched/one.patch
	scripts/build-kernel --no-install --source "$tree" patched >log 2>&1 &
	pid=$!
	within 60 test -e build/kernels/tree-patched.log
	sleep 1
	kill -TERM "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq 130 ]
	[ ! -e build/kernels/tree-patched ]
	[ -z "$(ls "$XDG_CACHE_HOME/stallbench/kernels")" ]
	within 10 nothing_runs_there
}

@test "--list names variants, flavours, and what is built" {
	build --as mine plain
	run scripts/build-kernel --list
	[[ $output == *"plain"*"Nothing changed"* ]]
	[[ $output == *"flavours: debug hz"* ]]
	[[ $output == *"built: "*/mine ]]
}
