# shellcheck shell=bash
# Machines of the tests' own: network namespaces, each with an sshd, a home folder and a view of the
# file system in which neither this tree nor the tests' folder is there.
# shellcheck disable=SC2154

# The command line of a guest on one of the machines.
# shellcheck disable=SC2034 # for the file
qemu_there='^[^ ]*qemu-system.*file,id=console,path=/root/.cache/stallbench/runs'

ns() { echo "sb$1-$BATS_ROOT_PID"; }

need_machines() {
	need_root
	{ [ -x /usr/sbin/sshd ] && command -v ip >/dev/null; } || skip "no sshd, or no ip (scripts/deps machines)"
	ip netns add "$(ns probe)" 2>/dev/null || skip "no network namespaces here"
	ip netns del "$(ns probe)"
}

# In namespace c everything of ours runs; a and b are the machines.
machines_up() {
	local host number=0
	ip netns add "$(ns c)"
	ip -n "$(ns c)" link set lo up
	mkdir -p "$machines"
	ssh-keygen -q -t ed25519 -N '' -f "$machines/key"
	: >"$machines/config"
	for host in a b; do
		number=$((number + 1))
		ip netns add "$(ns $host)"
		ip -n "$(ns $host)" link set lo up
		ip -n "$(ns c)" link add "to$host" type veth peer name eth0 netns "$(ns $host)"
		ip -n "$(ns c)" addr add "10.99.$number.1/24" dev "to$host"
		ip -n "$(ns c)" link set "to$host" up
		ip -n "$(ns $host)" addr add "10.99.$number.2/24" dev eth0
		ip -n "$(ns $host)" link set eth0 up
		cat >>"$machines/config" <<-EOF
			Host $host
				HostName 10.99.$number.2
		EOF
		machine_home $host
		machine_on $host
	done
	cat >>"$machines/config" <<-EOF
		Host nobody
			HostName 10.99.1.77
		Host *
			IdentityFile $machines/key
			IdentitiesOnly yes
			User root
			StrictHostKeyChecking no
			UserKnownHostsFile /dev/null
			LogLevel ERROR
	EOF
	export STALLBENCH_SSH="ssh -F $machines/config"
}

machine_home() {	# machine_home HOST
	local home=$machines/$1
	mkdir -p "$home/sshd" "$home/bin"
	ssh-keygen -q -t ed25519 -N '' -f "$home/sshd/host_key"
	cp "$machines/key.pub" "$home/sshd/authorized"
	cat >"$home/sshd/config" <<-EOF
		ListenAddress 0.0.0.0
		HostKey /root/sshd/host_key
		AuthorizedKeysFile /root/sshd/authorized
		PidFile none
		UsePAM no
		StrictModes no
		PasswordAuthentication no
		PermitRootLogin yes
		SetEnv PATH=/root/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	EOF
}

machine_on() {	# machine_on HOST
	mkdir -p /run/sshd
	# What lies below /root is hidden by the home folder already.
	# shellcheck disable=SC2016 # for the shell inside
	ip netns exec "$(ns "$1")" unshare -m sh -c '
		mount --bind "$1" /root &&
		{ [ ! -d "$2" ] || mount -t tmpfs none "$2"; } && { [ ! -d "$3" ] || mount -t tmpfs none "$3"; } &&
		exec /usr/sbin/sshd -D -e -f /root/sshd/config' sh "$machines/$1" "$root" "$BATS_RUN_TMPDIR" \
		>"$machines/$1.log" 2>&1 3>&- &
	# Nobody need hear of it when it is killed.
	disown
	within 30 grep -q 'Server listening' "$machines/$1.log" || { cat "$machines/$1.log"; return 1; }
}

# At once and all of it, as when the plug is pulled.
machine_off() {	# machine_off HOST
	local pids
	pids=$(ip netns pids "$(ns "$1")") || return 0
	# shellcheck disable=SC2086 # several
	[ -z "$pids" ] || kill -KILL $pids
}

machines_down() {
	local host
	for host in a b c; do
		machine_off $host
		ip netns del "$(ns $host)" 2>/dev/null || true
	done
}

# Whatever runs there.
on() {	# on HOST COMMAND...
	local host=$1
	shift
	ip netns exec "$(ns c)" ssh -F "$machines/config" "$host" "$@" </dev/null
}

here() { ip netns exec "$(ns c)" "$@"; }
