# shellcheck shell=bash
# shellcheck disable=SC2154 # what lib.sh and the architecture's file set
# Packages of another architecture, unpacked into a folder of their own: apt is given lists, cache
# and a record of installed packages beside it, so this machine's own are not touched, and neither
# root nor a foreign architecture of dpkg is needed. Sourced by sb_use_arch (lib.sh), never run.

sysroot_apt() {	# sysroot_apt PROGRAM ARGUMENT...
	local state=$sb_sysroot.apt program=$1
	shift
	mkdir -p -- "$state"/{lists,archives}/partial "$state/state"
	touch -- "$state/status"
	"$program" -q -o APT::Architecture="$arch_debian" \
		-o APT::Architectures::="$arch_debian" -o Dir::State="$state/state" \
		-o Dir::State::Lists="$state/lists" -o Dir::State::status="$state/status" \
		-o Dir::Cache="$state" -o Dir::Cache::archives="$state/archives" \
		-o APT::Sandbox::User="$(id -un)" "$@" </dev/null
}

# Takes apart what apt has fetched, and puts it on record, so that it is fetched once.
sysroot_unpack() {
	local state=$sb_sysroot.apt deb
	mkdir -p -- "$sb_sysroot"
	for deb in "$state"/archives/*.deb; do
		[ -f "$deb" ] || continue
		dpkg-deb --fsys-tarfile "$deb" |
			tar -x -C "$sb_sysroot" --keep-directory-symlink --no-same-owner \
				--exclude='./usr/share/doc' --exclude='./usr/share/man' \
				--exclude='./usr/share/locale' --exclude='./dev' || return
		{ printf 'Status: install ok installed\n' && dpkg-deb -f "$deb" && echo; } >>"$state/status" || return
		rm -f -- "$deb"
	done
}

# Fetches packages with all they depend on. False with apt's words on stdout.
sysroot_install() (	# sysroot_install PACKAGE...
	fetch=(apt-get install -y --no-install-recommends --download-only)
	mkdir -p -- "$sb_sysroot.apt"
	exec 8>"$sb_sysroot.apt/lock"
	flock 8
	# Lists may be absent or old: try, refresh, try again.
	sysroot_apt "${fetch[@]}" "$@" 2>&1 ||
		{ sysroot_apt apt-get update 2>&1; sysroot_apt "${fetch[@]}" "$@" 2>&1; } || exit
	sysroot_unpack
)

# The libraries that a program loads, by their names within the folder, a line each: what ldd says
# of programs that run here.
sysroot_libraries() {	# sysroot_libraries PROGRAM
	local triplet=${arch_cross%-} queue=("$1") file name path dir
	local -A seen=()
	readelf -l -- "$1" | sed -n 's/.*interpreter: \(.*\)\]/\1/p'
	while [ ${#queue[@]} -gt 0 ]; do
		file=${queue[0]} queue=("${queue[@]:1}")
		while read -r name; do
			[ -z "${seen[$name]-}" ] || continue
			seen[$name]=1 path=''
			for dir in {,/usr}/lib/"$triplet" {,/usr}/lib; do
				[ ! -e "$sb_sysroot$dir/$name" ] || { path=$dir/$name; break; }
			done
			# One that names the folder itself (RUNPATH).
			[ -n "$path" ] || path=/$(cd -- "$sb_sysroot" && find usr/lib lib -name "$name" | sort | head -n 1)
			[ "$path" != / ] || sb_die "$SB_USAGE" "$1: library $name is missing"
			printf '%s\n' "$path"
			queue+=("$sb_sysroot$path")
		done < <(readelf -d -- "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
	done
}
