# shellcheck shell=bash
# What every part of ./dev and guest/image/build needs: where things are kept, how progress is told, and the one way by
# which something enters the cache.
#
# The cache has a directory for each kind of thing and in it an entry for each version, named by the hash of its inputs.
# An entry is built in a directory beside its final name and renamed when it is complete, so an entry that exists is
# whole. One lock per kind: of two builders the second waits and finds the work done. A build that is killed leaves a
# `.tmp.` directory, which the next builder of that kind removes, since it holds the lock.

# A service has no HOME; ~ asks the system's list of users then.
export HOME=${HOME:-~}
: "${SANDBOX_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/hexr-sandbox}"
export SANDBOX_CACHE

# The same file modes whoever builds: part of what makes an image reproducible.
umask 022

say() { printf '==> [%3ds] %s\n' "$SECONDS" "$*" >&2; }

die() {
    printf 'error: %s\n' "$1" >&2
    shift
    (($# == 0)) || printf '       %s\n' "$@" >&2
    exit 1
}

is_root() { ((EUID == 0)); }

# content_key DIRECTORY NAME...: one hash over names and contents of these files and directories below DIRECTORY, wherever
# that is. What is built there and tests do not count.
content_key() {
    local directory=$1
    shift
    (
        cd "$directory" || exit
        find "$@" -type d \( -name build -o -name target -o -name __pycache__ -o -name test -o -name tests -o -name fuzz \) \
            -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
    ) | sha256sum | cut -c1-16
}

# cached DIRECTORY LABEL COMMAND...: makes DIRECTORY by `COMMAND... TEMPORARY_DIRECTORY` unless it is there.
# Never call it in a condition: bash would then ignore `set -e` inside COMMAND and publish half a build.
cached() {
    local directory=$1 label=$2 kind
    shift 2
    [[ ! -d $directory ]] || return 0
    kind=$(dirname "$directory")
    mkdir -p "$kind" 2>/dev/null || true
    [[ -w $kind ]] ||
        die "SANDBOX_CACHE=$SANDBOX_CACHE cannot be written" "it is where built and fetched things are kept: name another directory"
    (
        exec {lock}>"$kind/.lock"
        if ! flock -n "$lock"; then
            say "$label: waiting for another build"
            flock -w 1800 "$lock" || die "$label: another build has held $kind/.lock for 30 minutes"
        fi
        [[ ! -d $directory ]] || exit 0
        rm -rf --one-file-system "$kind"/*.tmp.*
        temporary=$(mktemp -d "$directory.tmp.XXXXXX")
        trap 'rm -rf --one-file-system "$temporary"' EXIT
        chmod 755 "$temporary"
        say "$label"
        "$@" "$temporary"
        mv -T "$temporary" "$directory"
    )
}

# keep_newest COUNT DIRECTORY: marks the entry as used now and removes all of its kind but the COUNT used last, and those
# that a running engine names in its environment.
keep_newest() {
    local count=$1 directory=$2 old
    touch "$directory"
    find "$(dirname "$directory")" -mindepth 1 -maxdepth 1 -type d ! -name '*.tmp.*' -printf '%T@ %p\n' | sort -rn |
        tail -n +"$((count + 1))" | cut -d' ' -f2- | while read -r old; do
        grep -Fqs -- "=$old" /proc/[0-9]*/environ || rm -rf --one-file-system "$old"
    done
}
