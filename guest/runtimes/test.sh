#!/usr/bin/env bash
# Tests of the parked interpreters.
#
#   guest/runtimes/test.sh ROOT [PART OF A TEST'S NAME]
#
# ROOT is a guest root with agent and runtimes (guest/image/build --root ROOT). Needs root, and Python 3.11 or newer on this
# machine. With RUNSC_BIN set, programs run as the engine runs them: interpreters are parked, checkpointed and resumed under
# gVisor. Without it they are parked and released on this machine's kernel, which takes longer and shows less.
set -euo pipefail

[[ $# -ge 1 && -d $1 && $EUID == 0 ]] || { echo "usage, as root: $0 ROOT [PART OF A TEST'S NAME]" >&2 && exit 1; }
root=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/tests"
PYTHONDONTWRITEBYTECODE=1 exec python3 run.py "$root" "${@:2}"
