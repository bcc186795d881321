# shellcheck shell=bash
# shellcheck disable=SC2154 # what lib.sh and find-kernel.sh set
# Sweep points: kernels with boot parameters of their own, NAME+PARAM=VALUE+... Sourced after
# find-kernel.sh, never run.

check_sweep() {	# check_sweep SWEEP: PARAM[,PARAM...]=VALUE[,VALUE...]
	local form="^$sb_parameter(,$sb_parameter)*=$sb_value(,$sb_value)*\$"
	[[ $1 =~ $form ]] || sb_die "$SB_USAGE" \
		"--sweep: '$1' is not PARAM=V1,V2,... or P1,P2=V1,V2,... (PARAM: MODULE.NAME or sysctl.NAME)"
}

# What a variant says of a parameter in its file "parameters". Returns 1 when a variant brings
# the parameter with it, but not this one. Sets unless ("PARAM=VALUE", or empty): the setting
# with which the parameter makes no difference.
parameter_of() {	# parameter_of PARAM KERNEL
	local file line known='' own=$sb_variants/${2%%[@~]*}/parameters
	unless=
	# shellcheck disable=SC2094 # only read
	for file in "$sb_variants"/*/parameters; do
		[ -f "$file" ] || continue
		while read -r line; do
			[ "${line%% *}" = "$1" ] || continue
			known=1
			[ "$file" = "$own" ] || continue
			[[ $line != *" unless "* ]] || unless=${line##* unless }
			return 0
		done <"$file"
	done
	# Of a file or a tree nothing is known: the guest will say what did not take.
	[ -z "$known" ] || [ ! -d "${own%/*}" ]
}

# Drops from a point what makes no difference there, and says so. Sets point.
useful_point() {	# useful_point KERNEL PARAM=VALUE...
	local kernel=$1 word
	shift
	point=$kernel
	for word; do
		if ! parameter_of "${word%%=*}" "$kernel"; then
			said["$kernel has no ${word%%=*}: left out"]=1
		elif [ -n "$unless" ] && [[ " $* " == *" $unless "* ]]; then
			said["$kernel: ${word%%=*} makes no difference with $unless: left out"]=1
		else
			point+=+$word
		fi
	done
}

# Multiplies: prints one line "PARAM=VALUE PARAM=VALUE..." per combination of the sweeps' values.
combinations() {	# combinations SWEEP...
	local -a done_ grown values parameters
	local sweep prefix value parameter setting
	done_=('')
	for sweep; do
		IFS=, read -r -a values <<<"${sweep#*=}"
		IFS=, read -r -a parameters <<<"${sweep%%=*}"
		grown=()
		for prefix in "${done_[@]}"; do
			for value in "${values[@]}"; do
				setting=$prefix
				for parameter in "${parameters[@]}"; do
					setting+=${setting:+ }$parameter=$value
				done
				grown+=("$setting")
			done
		done
		done_=("${grown[@]}")
	done
	printf '%s\n' "${done_[@]}"
}

# Sets points: each kernel at each combination of the sweeps' values, each point once.
# shellcheck disable=SC2034
sb_sweep() {	# sb_sweep KERNEL... -- SWEEP...
	local -a kernels=() settings
	local -A said=()
	local kernel combination point
	while [ "$1" != -- ]; do
		kernels+=("$1")
		shift
	done
	shift
	points=()
	for kernel in "${kernels[@]}"; do
		[ "$kernel" != host ] ||
			sb_die "$SB_USAGE" "--sweep: boot parameters of the running kernel cannot be swept (-k)"
		while read -r combination; do
			read -r -a settings <<<"$combination"
			useful_point "$kernel" "${settings[@]}"
			[[ " ${points[*]-} " == *" $point "* ]] || points+=("$point")
		done < <(combinations "$@")
	done
	for point in "${!said[@]}"; do
		sb_say "--sweep: $point"
	done
}
