#!/usr/bin/env bats
# The commands that the documents show: each is tried as tests/doc-commands.list says.

# shellcheck disable=SC2016,SC2154,SC2164,SC2317 # root and bin come from common.bash; each calls functions
bats_require_minimum_version 1.5.0

setup_file() {
	load common
	export STALLBENCH_BIN=$bin
	cd "$BATS_FILE_TMPDIR" || return
	(cd "$root" && tests/doc-commands README.md CONTRIBUTING.md docs/*.md) | sort -u >commands
	# shellcheck source=../faults/cases.bash
	. "$root/tests/faults/cases.bash"
	: >initramfs
	for run in RUN BASE NEW results/one; do
		make_run "$run" keygcbench unused gc_cpu
		"$bin/report/benchcmp" summary "$run" "$root/results/reference"
	done
}

setup() {
	load common
	export STALLBENCH_BIN=$bin NO_INSTALL=1
	cd "$BATS_FILE_TMPDIR" || return
}

# The patterns, and how, of the list.
rules() { sed -E '/^(#|$)/d; s/ {2,}/\t/g' "$root/tests/doc-commands.list"; }

how() {	# how COMMAND: prints it; false if no pattern fits
	local pattern word
	while IFS=$'\t' read -r pattern word _; do
		# shellcheck disable=SC2053 # a pattern
		[[ $1 != $pattern ]] || { printf '%s\n' "$word"; return; }
	done < <(rules)
	return 1
}

# Calls FUNCTION for every command to be tried in this way, all of them even if one fails.
each() {	# each HOW FUNCTION
	local line command failed=0 tried=0
	while IFS= read -r line; do
		command=${line#*: }
		[ "$(how "$command")" = "$1" ] || continue
		tried=$((tried + 1))
		("$2" "$command") >out 2>&1 </dev/null || { echo "$line"; sed 's/^/    /' out; failed=1; }
	done <commands
	[ "$tried" -gt 0 ] && [ "$failed" = 0 ]
}

# What stands for a value in the text.
filled_in() {	# filled_in COMMAND
	sed -E 's/\bKERNEL\b/baseline/; s/\bPHASE\b/unused/; s/\bK\b/1/g; s/=L\b/=100/; s/count N\b/count 1000/
		s/\bNAME\b/keys-gc-chunks/; s/--out DIR/--out "$BATS_FILE_TMPDIR\/dir"/' <<<"$1"
}

@test "every command fits a pattern, and every pattern a command" {
	while IFS= read -r line; do
		how "${line#*: }" >/dev/null || { echo "no pattern: $line"; false; }
	done <commands
	while IFS=$'\t' read -r pattern _; do
		found=
		while IFS= read -r line; do
			# shellcheck disable=SC2053 # a pattern
			[[ ${line#*: } != $pattern ]] || found=1
		done <commands
		[ -n "$found" ] || { echo "fits nothing: $pattern"; false; }
	done < <(rules)
	[ "$(wc -l <commands)" -gt 50 ]
}

# The program of a command, wherever it is.
program() {	# program COMMAND
	local word=${1%% *}
	case $word in
	boot-kernel) word=scripts/boot-kernel ;;
	run-all.sh) word=./run-all.sh ;;
	[a-z]*bench) word=$word/$word ;;
	esac
	[ -x "$root/$word" ] && printf '%s\n' "$root/$word"
}

named() { "$(program "$1")" --help; }

@test "programs that are named are there, and have --help" {
	each help named
	each exists program
}

as_it_stands() {
	local command status=0
	# The alternatives of an option, one after the other.
	if [[ $1 == *markdown\|csv\|json* ]]; then
		for command in markdown csv json; do as_it_stands "${1/markdown|csv|json .../$command RUN}" || return; done
		return
	fi
	command="$(program "$1") ${1#* }"
	eval "$command" || status=$?
	# Verdicts are no failures.
	[ "$status" -le 1 ] || [ "$status" -eq 3 ]
}

@test "short ones run" {
	each run as_it_stands
}

options() { eval "$(program "$1") $(filled_in " ${1#* }" | grep -v '^ [^ -]' || true) --list-phases"; }

@test "options of the benchmarks" {
	each options options
}

planned() {
	local words=${1#* }
	# Files that are added are named from there.
	cd "$root" || return
	words=$(filled_in "$words")
	case $1 in
	*boot-kernel*)
		# The variant is there; baseline stands for it, which other tests have built.
		words=$(sed -E "s/(^| )($(paste -sd '|' <(ls kernels/variants)))( |\$)/\1baseline\3/" <<<"$words")
		eval "'$root/scripts/boot-kernel' --dry-run --initramfs '$BATS_FILE_TMPDIR/initramfs' $words"
		;;
	*--*) eval "'$root/run-all.sh' --dry-run $words" ;;
	*) eval "'$root/run-all.sh' --dry-run ${words#./run-all.sh}" ;;
	esac
}

@test "long ones are understood" {
	[ -z "${STALLBENCH_NO_KERNELS-}" ] || skip "no kernel source here"
	"$root/scripts/build-kernel" baseline >&2
	make -s -C "$root" STATIC=1 SANITIZE= guest-tests >&2
	# Without -b they are for all benchmarks, which is too much of a plan for a stub of it.
	each plan planned
}

there() {
	# shellcheck disable=SC2086 # words
	make -n -C "$root" ${1#make }
}

@test "targets of make" {
	# shellcheck disable=SC2317 # called by each
	each rule there
}

# The Nth block of LANGUAGE in a document.
block() {	# block FILE LANGUAGE N
	awk -v language="$2" -v wanted="$3" '
		/^```/ { if (inside) inside = 0; else inside = $0 == "```" language && ++n == wanted; next }
		inside' "$root/$1"
}

# What a build needs, and what is built already.
copy_tree() {
	mkdir tree
	cp -a "$root"/{Makefile,run-all.sh,core,guest,report,kernels,scripts,tests,keygcbench,dentrybench,srcubench} tree/
	mkdir -p tree/results tree/build
	cp -a "$root/results/reference" tree/results/
	[ ! -d "$root/build/host" ] || cp -a "$root/build/host" tree/build/
}

@test "adding a benchmark, as the document has it: built, listed, measured" {
	cd "$BATS_TEST_TMPDIR"
	copy_tree
	mkdir tree/sleepbench
	block docs/adding-a-benchmark.md c 1 >tree/sleepbench/sleepbench.c
	sed -i 's/^BENCHES := .*/& sleepbench/' tree/Makefile
	# What a make around this says (SANITIZE=1) is not for the tree's own.
	unset STALLBENCH_BIN MAKEFLAGS MAKEOVERRIDES MFLAGS
	run -0 tree/run-all.sh --list
	[[ $output == *"sleepbench   plain            one thread, nothing else"* ]]
	run -0 tree/run-all.sh -b sleepbench -o out --no-plots
	[ "$(field out/results.csv plain late n)" = 1000 ]
	[ "$(field out/results.csv plain late errors)" = 0 ]
	[[ $output == *"sleepbench, kernel host"*"late in ms, n = 1000"*"plain: "* ]]
}

@test "adding a variant, as the document has it: listed" {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p tree
	cp -r "$root"/{kernels,scripts} tree/
	variant=tree/kernels/variants/say
	mkdir "$variant"
	block docs/adding-a-variant.md text 1 >"$variant/about"
	block docs/adding-a-variant.md text 2 >"$variant/series"
	block docs/adding-a-variant.md diff 1 >"$variant/say.patch"
	run -0 tree/scripts/build-kernel --no-install --list
	[[ $output == *"say "*"$(head -n 1 "$variant/about")"* ]]
	# Unpacking takes longer than all the rest.
	[ -n "${STALLBENCH_FULL-}" ] || skip "its patch is applied with STALLBENCH_FULL=1"
	tar -xJf /usr/src/linux-source-6.12.tar.xz --occurrence=1 --strip-components=1 --wildcards '*/security/keys/gc.c'
	run -0 patch -p1 --fuzz=0 --input "$variant/say.patch"
	grep -q "execution begins" security/keys/gc.c
}

@test "the extraction: indented, fenced, in the text, continued, with a remark" {
	cat >doc <<-'END'
		Text with `scripts/compare A B` and `no command`, and one
		that `scripts/plot
		RUN` breaks.

		    $ sudo ./run-all.sh -b x    a remark
		    ./run-all.sh \
		        -k y

		```sh
		make check
		```
		    something else
	END
	run -0 "$root/tests/doc-commands" doc
	[ "$output" = "doc: scripts/compare A B
	doc: scripts/plot RUN
	doc: ./run-all.sh -b x
	doc: ./run-all.sh -k y
	doc: make check" ] || [ "$output" = $'doc: scripts/compare A B\ndoc: scripts/plot RUN\ndoc: ./run-all.sh -b x\ndoc: ./run-all.sh -k y\ndoc: make check' ]
}
