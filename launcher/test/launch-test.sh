#!/bin/bash
# Tests of sandbox-launch, as root. Ends with "N passed, N failed".
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -uo pipefail

launch=$(realpath "${LAUNCHER_BIN:?}")
work=$(mktemp -d)
cgroup=
cleanup() {
    [ -z "$cgroup" ] || rmdir "$cgroup"
    rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
passed=0 failed=0

check() { # NAME EXPECTED ACTUAL
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n  expected: %q\n  actual:   %q\n' "$1" "$2" "$3"
    fi
}

# A listening socket that says "hello" to the first caller, prints what that one says, and ends.
greeter() {
    python3 -c '
import socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(1)
listener.settimeout(20)
open("listening", "w").close()
caller, _ = listener.accept()
caller.settimeout(20)
caller.sendall(b"hello\n")
print(caller.makefile().read(), end="")
' "$1"
}

check "it becomes the program, with its arguments" "a b|c" "$("$launch" -- printf '%s|%s' 'a b' c)"
check "the program's status is its own" 7 "$("$launch" -- sh -c 'exit 7'; echo $?)"

"$launch" -- sh -c 'echo $$; ps -o sid= -p $$ | tr -d " "' >session
check "the program leads a session of its own" "$(sed -n 1p session)" "$(sed -n 2p session)"

check "descriptors above 2 do not reach the program" "0 1 2" \
    "$("$launch" -- python3 -c '
import os
print(*[fd for fd in range(256) if os.path.exists(f"/proc/self/fd/{fd}")])' 7</dev/null 99</dev/null)"

check "ignored signals do not reach the program" "0000000000000000" \
    "$(trap '' PIPE HUP INT; "$launch" -- sed -n 's/^SigIgn:\t//p' /proc/self/status)"

mkfifo ready
greeter "$work/s" >heard &
until [ -e listening ]; do read -rt 0.05 _ <>ready; done
"$launch" --socket "$work/s" -- sh -c 'read -r line; echo "got $line"'
wait $!
check "the program speaks over the socket on fd 0 and 1" "got hello" "$(cat heard)"

"$launch" --stderr log -- sh -c 'echo first >&2'
"$launch" --stderr log -- sh -c 'echo second >&2'
check "stderr goes to a file made anew" "second" "$(cat log)"
check "only root can read that file" "600" "$(stat -c %a log)"
ln -s victim link
check "stderr does not follow a link" 101 "$("$launch" --stderr link -- true 2>/dev/null; echo $?)"

mkdir mounted
"$launch" --private-mounts -- sh -c 'mount -t tmpfs none mounted && touch mounted/inside'
check "a private mount is not seen outside" "" "$(ls mounted)"
check "without --private-mounts the namespace stays" "$(readlink /proc/self/ns/mnt)" \
    "$("$launch" -- readlink /proc/self/ns/mnt)"

check "a private network has no interface but lo" "lo" \
    "$("$launch" --private-network -- sed -n 's/^ *\([^ ]*\):.*/\1/p' /proc/net/dev)"
check "without --private-network the namespaces stay" "$(readlink /proc/self/ns/net /proc/self/ns/ipc)" \
    "$("$launch" -- readlink /proc/self/ns/net /proc/self/ns/ipc)"

check "small pages are asked for, and stay so in what the program starts" "0" \
    "$("$launch" --small-pages -- sh -c 'sh -c "sed -n s/^THP_enabled:.//p /proc/self/status"')"
check "without --small-pages nothing is changed" "$(sed -n 's/^THP_enabled:.//p' /proc/self/status)" \
    "$("$launch" -- sed -n 's/^THP_enabled:.//p' /proc/self/status)"

check "nofile sets both limits" "123 123" "$("$launch" --nofile 123 -- bash -c 'echo "$(ulimit -Sn) $(ulimit -Hn)"')"

# A directory of one v1 hierarchy, or of the v2 one.
for parent in /sys/fs/cgroup/freezer /sys/fs/cgroup/pids /sys/fs/cgroup; do
    if [ -e "$parent/cgroup.procs" ] && mkdir "$parent/launch-test-$$" 2>/dev/null; then
        cgroup=$parent/launch-test-$$
        break
    fi
done
check "a cgroup for this test can be made" yes "$([ -n "$cgroup" ] && echo yes)"
check "the program is in the cgroup from its start" 1 \
    "$("$launch" --cgroup "$cgroup" -- grep -c "/launch-test-$$\$" /proc/self/cgroup)"

# Retries a condition for some seconds, then gives up.
eventually() {
    for _ in {1..100}; do
        "$@" && return
        read -rt 0.05 _ <>"$work/ready"
    done
    return 1
}
export work
export -f eventually
supervised() { timeout 20 "$launch" --supervise -- "$@"; }
check "supervised, a program's status is its own" 7 "$(supervised sh -c 'exit 7'; echo $?)"
check "supervised, a death by signal is 128 + n" 137 "$(supervised sh -c 'kill -9 $$'; echo $?)"
check "supervised, the last descendant's end is the end" 5 \
    "$(supervised sh -c '(read -r _ <ready; exit 5) & exit 3' & echo >ready; wait $!; echo $?)"
check "a supervisor inherits from the program what that leaves" yes "$(supervised bash -c '
    adopted() { [ "$(ps -o ppid= -p "$1" | tr -d " ")" = "$2" ]; }
    (eventually adopted $BASHPID $PPID && echo yes) & exit')"
check "a supervisor leaves no zombie" yes "$(supervised bash -c '
    orphan=$(: & echo $!)
    is_gone() { [ ! -e /proc/$orphan ]; }
    eventually is_gone && echo yes')"
check "a supervisor holds no descriptor" yes "$(supervised bash -c '
    holds_none() { [ -z "$(ls /proc/$PPID/fd)" ]; }
    eventually holds_none && echo yes')"
timeout 20 "$launch" --supervise --cgroup "$cgroup" -- sleep 20 &
joined() { [ -n "$(cat "$cgroup/cgroup.procs")" ]; }
eventually joined
program=$(cat "$cgroup/cgroup.procs")
kill -9 "$program"
wait $!
check "the supervisor of a program in a cgroup is outside, and reaps it when that is killed" "137 reaped" \
    "$? $([ -e "/proc/$program" ] || echo reaped)"
check "supervised, a program that is not there" "107" "$(supervised "$work/none" 2>/dev/null; echo $?)"

status() { "$launch" "$@" >out 2>&1; echo "$? $(wc -l <out)"; }
check "without a program: usage" "100 1" "$(status --nofile 5)"
check "an unknown option: usage" "100 1" "$(status --nope -- true)"
check "a limit that is no number: usage" "100 1" "$(status --nofile 5x -- true)"
check "a file that cannot be made" "101 1" "$(status --stderr missing/log -- true)"
check "a cgroup that is not there" "102 1" "$(status --cgroup "$work/none" -- true)"
check "a socket that is not there" "103 1" "$(status --socket "$work/none" -- true)"
check "a socket path that is too long" "103 1" "$(status --socket "/$(printf 'x%.0s' {1..120})" -- true)"
check "a program that is not there" "107 1" "$(status -- "$work/none")"
"$launch" --stderr log -- "$work/none"
check "a failed exec is told in the stderr file" 1 "$(grep -c 'exec .*No such file' log)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
