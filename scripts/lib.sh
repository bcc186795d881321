# shellcheck shell=bash
# Shared by the scripts of this folder: messages, and the place of the tree.
# Sourced, never run. Callers set -eu themselves.

sb_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Where the programs are: a build of another flavour (sanitizers, static) names its own folder.
# shellcheck disable=SC2034
sb_bin=${STALLBENCH_BIN:-$sb_root}
# Statically linked builds, for guests.
# shellcheck disable=SC2034
sb_static=${STALLBENCH_STATIC:-$sb_root/build/static}
export LC_ALL=C

# Exit statuses of every command (see docs/exit-status.md).
# shellcheck disable=SC2034
readonly SB_OK=0 SB_FAILED=1 SB_USAGE=2 SB_SKIPPED=77 SB_INTERRUPTED=130

sb_say() { printf '%s\n' "$*"; }
sb_warn() { printf '%s: warning: %s\n' "${0##*/}" "$*" >&2; }
sb_die() {	# sb_die STATUS MESSAGE...
	local status=$1
	shift
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit "$status"
}
