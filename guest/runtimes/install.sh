#!/usr/bin/env bash
# Puts the parked interpreters into the root file system of a guest.
#
#   guest/runtimes/install.sh ROOT
#
# ROOT has Python with its libraries and Node.js. Needs root, gcc, and util-linux. Python modules of the result that have no
# compiled form are to be compiled afterwards: the root is read-only when it is used.
set -euo pipefail

[[ $# == 1 && -d $1 && $EUID == 0 ]] || { echo "usage, as root: $0 ROOT" >&2 && exit 1; }
root=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
runtimes=/usr/lib/hexr-sandbox
work=$(mktemp -d "$root/tmp/runtimes.XXXXXX")
trap 'rm -rf "$work"' EXIT

# in_guest SCRIPT ARGUMENTS...: a Python program of ours, run by the guest's Python in its root. The environment is that of a
# program of a call, since it decides what a fresh interpreter has loaded.
in_guest() {
    # shellcheck disable=SC2016 # expands inside
    env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/workspace LANG=C.UTF-8 PYTHONHASHSEED=0 \
        unshare --mount --pid --net --ipc --fork --kill-child -- bash -euc '
            mount -t proc proc "$1/proc"
            mount --rbind /dev "$1/dev"
            exec chroot "$1" python3 -B "${@:2}"' in_guest "$root" "$@"
}

install -d "$root$runtimes/python/hexr_runtime"
install -m 644 "$here"/python/hexr_runtime/*.py "$root$runtimes/python/hexr_runtime/"
install -m 644 "$here"/python/{preload.txt,plan_preload.py,adapt_matplotlib.py,figure_files.py} "$work/"
in_guest "${work#"$root"}/plan_preload.py" "${work#"$root"}/preload.txt" \
    "$runtimes/python/hexr_runtime/plan.py" "$runtimes/preloaded.json"
in_guest "${work#"$root"}/adapt_matplotlib.py" "${work#"$root"}/figure_files.py"
install -m 644 -T "$here/python/sitecustomize.py" "$root/etc/python3.11/sitecustomize.py"

# -z now: a function that the node binary lacks is found out when the library is loaded, which is before parking.
library() {
    gcc -std=c11 -O2 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden -ffile-prefix-map="$here"=. \
        -Wl,-z,now,-z,relro,--build-id=none -s -o "$root$runtimes/$1" "$here/$2" "$here/touch.c"
    chmod 644 "$root$runtimes/$1"
}
library resume.node node/resume.c
library process.so python/process.c
library park_bash.so bash/park_bash.c
install -m 644 "$here"/{node/park.cjs,node/rehearsal.cjs,bash/park.bash} "$root$runtimes/"
