# shellcheck shell=bash
# Building kernels, the parts: names, configurations, source trees, patches. Sourced by
# build-kernel.
# shellcheck disable=SC2034,SC2154
#
# There is one source tree per source, and one object folder per flavour inside it. A variant is
# built by giving the tree that variant's content, file by file, where it differs: make then
# recompiles what one patch touches (seconds) and not the kernel (minutes). A folder *inside* the
# tree makes the kernel's own build use relative paths, so no path of a machine gets into an
# image, and ccache hits wherever the tree lies.

kb_debian=/usr/src/linux-source-6.12.tar.xz
# Part of every hash: to be raised when the same inputs are to give another image.
kb_recipe=1
# Lines make prints for a full build, until one on this machine has been counted.
kb_steps=1600

kb_sha() { sha256sum <"$1" | cut -d' ' -f1; }

# -- Names: VARIANT[~MUTANT][@FLAVOUR] ----------------------------------------------------------

kb_split() {	# kb_split NAME: sets variant, mutant, flavour
	variant=${1%%[~@]*} mutant='' flavour=''
	case $1 in *~*) mutant=${1#*~} mutant=${mutant%%@*} ;; esac
	case $1 in *@*) flavour=${1#*@} ;; esac
}

kb_flavour_file() {	# kb_flavour_file FLAVOUR
	case $1 in
	debug) echo "$sb_root/kernels/debug.config" ;;
	*) echo "$sb_root/kernels/flavours/$1.config" ;;
	esac
}

kb_variants() {
	local about
	for about in "$sb_root"/kernels/variants/*/about; do
		about=${about%/about}
		echo "${about##*/}"
	done
}

kb_flavours() {
	local file
	echo debug
	for file in "$sb_root"/kernels/flavours/*.config; do
		file=${file##*/}
		echo "${file%.config}"
	done
}

# The patches of a variant in series order, a path a line. A line @OTHER stands for those of
# another variant. One that builds upon itself, over whatever detour, gets a path that is none.
kb_patches() {	# kb_patches VARIANT [MUTANT-FILE]
	kb_series "$1" ''
	[ -z "${2:-}" ] || echo "$2"
}

kb_series() {	# kb_series VARIANT VARIANTS-AROUND-IT
	local dir=$sb_root/kernels/variants/$1 name
	[ -f "$dir/series" ] || return 0
	while read -r name; do
		case $name in
		'' | '#'*) ;;
		@*)
			if [ ! -f "$sb_root/kernels/variants/${name#@}/about" ] ||
				[[ " $2 $1 " == *" ${name#@} "* ]]; then
				echo "$dir/$name"
			else
				kb_series "${name#@}" "$2 $1"
			fi
			;;
		*) echo "$dir/$name" ;;
		esac
	done <"$dir/series"
}

# -- Configurations -----------------------------------------------------------------------------

kb_arch_file() { echo "$sb_root/kernels/arch/$sb_arch.config"; }

# base.config, with what the architecture has for each of its places.
kb_base() {
	local files=(base=1 "$sb_root/kernels/base.config")
	[ ! -f "$(kb_arch_file)" ] || files=("$(kb_arch_file)" "${files[@]}")
	awk '
		base { print; if (/^#@ /) printf "%s", lines[$2]; next }
		/^#@ / { place = $2; next }
		{ lines[place] = lines[place] $0 "\n" }' "${files[@]}"
}

# Places the architecture has lines for and base.config knows nothing of: they would be lost.
kb_lost_places() {
	comm -13 <(sed -n 's/^#@ //p' "$sb_root/kernels/base.config" | sort -u) \
		<(sed -n 's/^#@ //p' "$(kb_arch_file)" 2>/dev/null | sort -u)
}

# The fragments of a kernel, later lines overriding earlier ones, each symbol once.
kb_fragment() {	# kb_fragment NAME
	local variant mutant flavour files
	kb_split "$1"
	files=(-)
	[ ! -f "$sb_root/kernels/variants/$variant/config" ] ||
		files+=("$sb_root/kernels/variants/$variant/config")
	[ -z "$flavour" ] || files+=("$(kb_flavour_file "$flavour")")
	kb_base | awk '
		/^CONFIG_/ { name = substr($0, 1, index($0, "=") - 1) }
		/^# CONFIG_.* is not set$/ { name = $2 }
		name != "" { if (!(name in line)) order[++n] = name; line[name] = $0; name = "" }
		END { for (i = 1; i <= n; i++) print line[order[i]] }' "${files[@]}"
}

# Lines that are neither a setting nor a comment would be lost without a word.
kb_malformed() {	# kb_malformed FILE...
	awk '!/^(CONFIG_[A-Za-z0-9_]+=.+|# CONFIG_[A-Za-z0-9_]+ is not set|#.*|[ \t]*)$/ ||
		/^# *CONFIG_[A-Za-z0-9_]+[ =]/ && !/^# CONFIG_[A-Za-z0-9_]+ is not set$/ {
		printf "%s:%d: %s\n", FILENAME, FNR, $0 }' "$@"
}

# What of a fragment did not survive: "WANTED (is: GOT)", a line each. "is not set" is also
# satisfied by a symbol that does not exist at all.
kb_dropped() {	# kb_dropped FRAGMENT CONFIG
	awk '
		function symbol(s) { return s ~ /^#/ ? $2 : substr(s, 1, index(s, "=") - 1) }
		/^CONFIG_/ || /^# CONFIG_.* is not set$/ {
			name = symbol($0)
			if (NR == FNR) { want[name] = $0; order[++n] = name } else got[name] = $0
		}
		END {
			for (i = 1; i <= n; i++) {
				w = want[order[i]]
				g = (order[i] in got) ? got[order[i]] : "# absent"
				if (w != g && !(w ~ /^#/ && g == "# absent"))
					printf "%s (is: %s)\n", w, g
			}
		}' "$1" "$2"
}

# -- Source trees -------------------------------------------------------------------------------

# A user's tree is known by its content: its path or its commit would not say what is in it.
kb_tree_hash() {	# kb_tree_hash TREE
	(
		cd -- "$1" || exit
		find . -name .git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
		find . -name .git -prune -o -type l -printf '%p %l\n' | sort
	) | sha256sum | cut -d' ' -f1
}

# The kernel's build refuses a tree that was built in, with an advice that would wipe the user's
# work; and objects of another configuration must not be taken over.
kb_tree_dirty() {	# kb_tree_dirty TREE: names what makes it so
	local what
	for what in .config include/config arch/*/include/generated; do
		what=$(compgen -G "$1/$what" | head -n 1)
		[ -z "$what" ] || { echo "${what#"$1/"}"; return; }
	done
}

kb_unpack() {	# kb_unpack TREE
	local tmp=$1.tmp
	rm -rf -- "$tmp"
	mkdir -p -- "$tmp"
	sb_say "unpacking ${kb_debian##*/} (about 20 s)"
	tar -xJf "$kb_debian" --strip-components=1 -C "$tmp" ||
		{ rm -rf -- "$tmp"; sb_die "$SB_FAILED" "cannot unpack $kb_debian"; }
	mkdir "$tmp/.stallbench"
	mv -T -- "$tmp" "$1"
}

# By content and without times: a file that got older must still look new to make.
kb_mirror() {	# kb_mirror SOURCE TREE
	mkdir -p -- "$2/.stallbench"
	kb_tree_set "$2" /nonexistent
	rm -rf -- "$2/.stallbench/orig"
	sb_say "copying what changed of $1 (left as it is)"
	rsync -rlpc --delete --exclude=/.stallbench --exclude='/obj-*' --exclude=/.git -- "$1/" "$2/" ||
		sb_die "$SB_FAILED" "cannot copy $1"
}

# The files a variant changes, patched, in a folder of their own; the tree is not touched, so a
# patch that does not apply leaves nothing half done. Files a patch removes are listed.
kb_overlay() {	# kb_overlay TREE OVERLAY PATCH...: false with what failed on stdout
	local tree=$1 overlay=$2 patch path from out
	shift 2
	rm -rf -- "$overlay"
	mkdir -p -- "$overlay/files"
	: >"$overlay/removed"
	for patch; do
		while read -r path; do
			[ ! -e "$overlay/files/$path" ] || continue
			from=$tree/.stallbench/orig/$path
			[ -e "$from" ] || from=$tree/$path
			# A file that only another variant adds is not part of the source.
			[ ! -e "$tree/.stallbench/added/$path" ] || continue
			[ -e "$from" ] || continue
			mkdir -p -- "$overlay/files/$(dirname -- "$path")"
			cp -p -- "$from" "$overlay/files/$path"
		done < <(kb_touched "$patch")
		# No time stamps, no backups: the result depends on content alone.
		out=$(patch -d "$overlay/files" -p1 -N -F2 -r - --no-backup-if-mismatch \
			<"$patch" 2>&1) || {
			printf '%s does not apply:\n' "${patch##*/}"
			kb_rejected "$out"
			return 1
		}
		! grep -q fuzz <<<"$out" || sb_warn "${patch##*/} applies only with fuzz"
		while read -r path; do
			[ -e "$overlay/files/$path" ] || printf '%s\n' "$path"
		done < <(kb_touched "$patch") >>"$overlay/removed"
	done
}

# Of all that patch(1) says, the files and the hunks.
kb_rejected() {	# kb_rejected OUTPUT
	local bad='FAILED|ignored|\*\*\*\*|^\|\+\+\+'
	{
		grep -E "^patching file|$bad" <<<"$1" | grep -B1 -E "$bad" | grep -v '^--$' ||
			printf '%s\n' "$1"
	} | sed 's/^/    /'
}

kb_touched() {	# kb_touched PATCH: the files it names
	sed -nE 's,^(---|\+\+\+) [ab]/([^\t]+).*,\2,p' "$1" | sort -u
}

# How often the headers that an overlay changes are included by other headers.
kb_includers() {	# kb_includers TREE OVERLAY
	local path
	{
		while read -r path; do
			case $path in include/*) grep -rhF -- "include <${path#include/}>" "$1/include" || : ;; esac
		done < <(kb_files "$2/files")
	} | wc -l
}

# Gives the tree the content of an overlay (or, with none, its own again). Only files whose
# content differs are written, each in one step; the originals are kept beside.
kb_tree_set() {	# kb_tree_set TREE OVERLAY
	local tree=$1 overlay=$2 state=$1/.stallbench path want
	mkdir -p -- "$state/orig" "$state/added"
	while read -r path; do
		if [ -e "$state/orig/$path" ] || [ -e "$state/added/$path" ]; then
			continue
		fi
		if [ -e "$tree/$path" ]; then
			mkdir -p -- "$state/orig/$(dirname -- "$path")"
			cp -p -- "$tree/$path" "$state/new"
			mv -- "$state/new" "$state/orig/$path"
		else
			mkdir -p -- "$state/added/$(dirname -- "$path")"
			: >"$state/added/$path"
		fi
	done < <(kb_files "$overlay/files"; cat "$overlay/removed" 2>/dev/null || :)
	while read -r path; do
		want=$overlay/files/$path
		if [ ! -e "$want" ]; then
			want=$state/orig/$path
			! grep -qxF -- "$path" "$overlay/removed" 2>/dev/null || want=
		fi
		if [ -z "$want" ] || [ ! -e "$want" ]; then
			rm -f -- "$tree/$path"
		elif ! cmp -s -- "$want" "$tree/$path"; then
			mkdir -p -- "$tree/$(dirname -- "$path")"
			# Not -p: to make, changed content is new content, in either direction.
			cp --no-preserve=timestamps -- "$want" "$state/new"
			chmod --reference="$want" "$state/new"
			mv -- "$state/new" "$tree/$path"
		fi
	done < <({ kb_files "$state/orig"; kb_files "$state/added"; } | sort -u)
}

kb_files() { [ ! -d "$1" ] || (cd -- "$1" && find . -type f -printf '%P\n'); }
