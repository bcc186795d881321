# shellcheck shell=bash
# Building kernels, the other parts: running make, and the store of finished kernels. Sourced by
# build-kernel, whose findings (tree, work, kept_as, ...) are used here.
# shellcheck disable=SC2154

kb_obj() {	# kb_obj TREE FLAVOUR
	echo "$1/obj-${sb_foreign:+$sb_foreign-}${2:-base}"
}

# Everything that would make two builds differ is fixed here, the environment included. Tools
# that need not be there leave their version in the configuration, so they never are. The name
# is for uname -r in the guest; as part of the configuration it would be in a header that every
# file includes, and ccache would have to preprocess each of them to see that nothing changed.
kb_make() {	# kb_make OBJ NAME ARGUMENT...
	local obj=$1 name=$2
	shift 2
	env -i PATH="$work/bin:$PATH" HOME="$HOME" TMPDIR="${TMPDIR:-/tmp}" LC_ALL=C \
		CCACHE_DIR="$sb_cache/ccache" CCACHE_MAXSIZE=2G ${fresh:+CCACHE_RECACHE=1} \
		make -C "${obj%/*}" O="${obj##*/}" ARCH="$arch_linux" CC="ccache ${kb_tools}gcc" \
		${kb_tools:+CROSS_COMPILE="$kb_tools"} LOCALVERSION="-$name" \
		RUSTC=false BINDGEN=false PAHOLE=false \
		KBUILD_BUILD_USER=stallbench KBUILD_BUILD_HOST=stallbench KBUILD_BUILD_VERSION=1 \
		KBUILD_BUILD_TIMESTAMP='1970-01-01 00:00:00 UTC' "$@"
}

kb_configure() {	# kb_configure OBJ NAME FRAGMENT: makes OBJ/.config
	mkdir -p -- "$1"
	kb_make "$1" "$2" -s KCONFIG_ALLCONFIG="$3" allnoconfig >"$1/configure.log" 2>&1 || {
		tail -n 20 "$1/configure.log" >&2
		sb_die "$SB_FAILED" "$2: the configuration step failed"
	}
}

# Test modules of ours: compiled with the kernel, since what a module is built against is not kept.
kb_modules() {
	local file
	for file in "$sb_root"/tests/guest/*/Kbuild; do
		[ ! -f "$file" ] || echo "${file%/Kbuild}"
	done
}

# What goes into a kernel, a line each; the hash of it is the name under which it is kept.
kb_inputs() {	# kb_inputs NAME
	local variant mutant flavour patch module
	kb_split "$1"
	printf 'recipe=%s\nname=%s\nsource_sha256=%s\n' "$kb_recipe" "$1" "$source_hash"
	printf 'fragment_sha256=%s\n' "$(kb_sha "$work/$1.fragment")"
	while read -r patch; do
		printf 'patch.%s=%s\n' "${patch##*/}" "$(kb_sha "$patch")"
	done < <(kb_patches "$variant" ${mutant:+"$mutant_file"})
	while read -r module; do
		printf 'module.%s=%s\n' "${module##*/}" \
			"$(cat -- "$module"/Kbuild "$module"/*.c | sha256sum | cut -d' ' -f1)"
	done < <(kb_modules)
	printf 'compiler=%s\nlinker=%s\n' "$compiler" "$linker"
}

# -- The store ----------------------------------------------------------------------------------

# Whether a folder holds all that its manifest promises.
kb_intact() {	# kb_intact DIR
	local line file
	for file in "$arch_image" config System.map; do
		grep -q "^sha256\.$file=" "$1/manifest" 2>/dev/null || return 1
	done
	while read -r line; do
		file=${line#sha256.}
		file=${file%%=*}
		[ -f "$1/$file" ] && [ "${line#*=}" = "$(kb_sha "$1/$file")" ] || return 1
	done < <(grep '^sha256\.' "$1/manifest")
}

# From the store into the output folder; what describes the variant comes from this tree.
kb_deliver() {	# kb_deliver NAME HOW: false when the store has nothing good
	local variant mutant flavour name tmp file kept=$sb_cache/kernels/${kept_as[$1]}
	[ -d "$kept" ] || return 1
	kb_intact "$kept" || {
		sb_warn "$kept is damaged; building $1 again"
		rm -rf -- "$kept"
		return 1
	}
	name=$(out_name "$1")
	kb_split "$1"
	tmp=$sb_kernels/.$name.tmp.$$
	rm -rf -- "$tmp"
	cp -r -- "$kept" "$tmp" || return 1
	touch -c -- "$kept"	# it is of use: see the end of those that are not, in build-kernel
	for file in about cmdline expect; do
		[ ! -f "$sb_root/kernels/variants/$variant/$file" ] ||
			cp -- "$sb_root/kernels/variants/$variant/$file" "$tmp/" || return 1
	done
	(
		flock 8
		# Not to take away, even for a moment, what another run is booting.
		if diff -rq -- "$tmp" "$sb_kernels/$name" >/dev/null 2>&1; then
			rm -rf -- "$tmp"
		else
			rm -rf -- "${sb_kernels:?}/$name"
			mv -T -- "$tmp" "$sb_kernels/$name"
		fi
	) 8>"$sb_kernels/.lock"
	sb_say "$name: $2, ${sb_kernels#"$sb_root/"}/$name/$arch_image"
}

# -- Running make -------------------------------------------------------------------------------

# How far: lines that make printed, against those of the last full build of this flavour.
kb_progress() {	# kb_progress LOG EXPECTED
	local steps left='' spent=$((SECONDS - began))
	steps=$(grep -cE '^  [A-Z]' "$1" || :)
	if [ "$2" -gt "$steps" ]; then
		[ "$spent" -lt 20 ] ||
			left=", about $(((spent * ($2 - steps) / (steps + 1) + 59) / 60)) min left"
		sb_say "  $steps of about $2 steps, $spent s$left"
	else
		sb_say "  $steps steps, $spent s"
	fi
}

# In the background, so that a signal ends it at once, and with news now and then.
kb_run() {	# kb_run LOG EXPECTED COMMAND...
	local log=$1 expected=$2 next=$((SECONDS + 15)) status=0
	shift 2
	set -m
	"$@" </dev/null >>"$log" 2>&1 &
	make_pid=$!
	set +m
	while kill -0 "$make_pid" 2>/dev/null; do
		sleep 0.5
		if [ "$SECONDS" -ge "$next" ]; then
			kb_progress "$log" "$expected"
			next=$((SECONDS + 15))
		fi
	done
	wait "$make_pid" || status=$?
	make_pid=''
	return "$status"
}

kb_complain() {	# kb_complain WHAT LOG
	grep -nE '(error|Error [0-9]|undefined reference|\*\*\*)' "$2" | head -n 12 >&2 || :
	sb_warn "$1: does not build; all that was said is in $2"
}

# Compiles one kernel and puts it into the store, under its final name only when whole.
kb_compile() {	# kb_compile NAME
	local variant mutant flavour obj log kept tmp module file expected=0 full steps_file
	kb_split "$1"
	obj=$(kb_obj "$tree" "$flavour")
	log=$sb_kernels/$(out_name "$1").log
	steps_file=$sb_cache/src/steps-${sb_foreign:+$sb_foreign-}${flavour:-base}
	began=$SECONDS
	kb_tree_set "$tree" "$work/$1.overlay"
	# The configuration step ran for every kernel before; this is the one that counts.
	cmp -s "$work/$1.config" "$obj/.config" || cp -- "$work/$1.config" "$obj/.config"
	: >"$log"
	# Where a whole kernel's objects lie already nobody knows how much is to be done.
	[ -f "$obj/vmlinux" ] || expected=$(cat "$steps_file" 2>/dev/null || echo "$kb_steps")
	full=$expected
	[ "$full" -eq 0 ] || expected=$((full - $(find "$obj" -name '*.o.cmd' | wc -l)))
	kb_run "$log" "$expected" kb_make "$obj" "$1" -j "$jobs" "$arch_image" modules ||
		{ kb_complain "$1" "$log"; return 1; }
	[ "$full" -eq 0 ] || [ "$expected" -lt "$full" ] || grep -cE '^  [A-Z]' "$log" >"$steps_file" || :

	kept=$sb_cache/kernels/${kept_as[$1]}
	tmp=$sb_cache/kernels/.${kept_as[$1]}.tmp.$$
	rm -rf -- "$tmp"
	mkdir -p -- "$tmp/modules"
	# Called in a condition, where bash does not stop at a failure by itself.
	cp -- "$obj/$arch_image_folder/$arch_image" "$obj/System.map" "$tmp/" || return 1
	cp -- "$obj/.config" "$tmp/config" || return 1
	# The kernel's own, where a variant asks for some: this list has no left-overs of others.
	while read -r module; do
		cp -- "$obj/${module%.o}.ko" "$tmp/modules/" || return 1
	done <"$obj/modules.order"
	while read -r module; do
		# In the object folder: the kernel's build leaves its products beside the source.
		rm -rf -- "$obj/ext"
		mkdir -p -- "$obj/ext"
		cp -- "$module"/Kbuild "$module"/*.c "$obj/ext/" || return 1
		kb_run "$log" 0 kb_make "$obj" "$1" -j "$jobs" M=ext modules ||
			{ kb_complain "$1, module ${module##*/}" "$log"; return 1; }
		cp -- "$obj"/ext/*.ko "$tmp/modules/" || return 1
	done < <(kb_modules)
	{
		printf 'variant=%s\nflavour=%s\nmutant=%s\narch=%s\n' "$variant" "$flavour" "$mutant" "$sb_arch"
		printf 'release=%s\nsource=%s\n' "$(cat "$obj/include/config/kernel.release")" "$source_name"
		printf 'hash=%s\n' "${kept_as[$1]}"
		kb_inputs "$1"
		(cd -- "$tmp" && find . -type f ! -name manifest -printf '%P\n' | sort) |
			while read -r file; do
				printf 'sha256.%s=%s\n' "$file" "$(kb_sha "$tmp/$file")"
			done
	} >"$work/manifest"
	mv -- "$work/manifest" "$tmp/manifest" || return 1
	rm -rf -- "$kept"
	mv -T -- "$tmp" "$kept" || return 1
	rm -f -- "$log"
}
