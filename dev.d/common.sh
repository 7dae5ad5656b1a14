# shellcheck shell=bash
# What every part of ./dev and guest/image/build needs: where things are kept, how progress is told, and the one way by
# which something enters the cache.
#
# The cache holds only finished things: an entry is built in a directory of its own beside its final name and renamed
# when it is complete. So an entry that exists is whole, a build that is killed leaves only a `.tmp.` directory, and the
# next build of that entry, which holds its lock, removes it.

: "${SANDBOX_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/hexr-sandbox}"
export SANDBOX_CACHE

# The same file modes whoever builds: part of what makes an image reproducible.
umask 022

say() { printf '\033[1m==>\033[0m [%3ds] %s\n' "$SECONDS" "$*" >&2; }

die() {
    printf 'error: %s\n' "$1" >&2
    shift
    (($# == 0)) || printf '       %s\n' "$@" >&2
    exit 1
}

is_root() { ((EUID == 0)); }

# One hash over names and contents of files and directories; built things do not count.
content_key() {
    find "$@" \( -name target -o -name __pycache__ -o -name '.*.swp' \) -prune -o -type f -print0 |
        LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c1-16
}

# cached DIRECTORY LABEL COMMAND...: makes DIRECTORY by `COMMAND... TEMPORARY_DIRECTORY` unless it is there.
# Never call it in a condition: bash would then ignore `set -e` inside COMMAND and publish half a build.
cached() {
    local directory=$1 label=$2
    shift 2
    [[ ! -d $directory ]] || return 0
    mkdir -p "$(dirname "$directory")"
    (
        exec {lock}>"$directory.lock"
        if ! flock -n "$lock"; then
            say "$label: waiting for another build of it"
            flock -w 1800 "$lock" || die "$label is still being built elsewhere after 30 minutes (lock $directory.lock)"
        fi
        [[ ! -d $directory ]] || exit 0
        rm -rf "$directory".tmp.*
        temporary=$(mktemp -d "$directory.tmp.XXXXXX")
        trap 'rm -rf "$temporary"' EXIT
        chmod 755 "$temporary"
        say "$label"
        "$@" "$temporary"
        mv -T "$temporary" "$directory"
    )
}
