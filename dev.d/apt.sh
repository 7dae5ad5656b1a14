# shellcheck shell=bash
# Debian packages, from the sources that this machine has: no host is named here.

readonly DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# one_apt ARGUMENT...: apt-get. Builds may run beside one another, and it does not wait for one of its kind that runs already.
one_apt() {
    mkdir -p "$SANDBOX_CACHE"
    flock --close --timeout 1800 "$SANDBOX_CACHE/.apt.lock" apt-get "$@"
}

# Once per run of the script: the lists of a fresh machine are empty, and apt knows a source's origin only from them.
apt_update() {
    [[ -z ${APT_UPDATED:-} ]] || return 0
    say "apt-get update"
    one_apt update -qq >&2
    APT_UPDATED=1
}

is_installed() { [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == 'install ok installed' ]]; }

# apt_install [OPTION...] NAME...: quiet unless it fails; dpkg has no quiet mode.
apt_install() {
    local log
    log=$(mktemp)
    DEBIAN_FRONTEND=noninteractive one_apt install -qq -y --no-install-recommends "$@" >"$log" 2>&1 </dev/null || {
        tail -n 30 "$log" >&2
        rm "$log"
        die "apt-get cannot install this; its last words are above"
    }
    rm "$log"
}

# install_packages NAME...: only those that are absent, so that a machine that has them needs no network.
install_packages() {
    local name missing=()
    for name; do
        is_installed "$name" || missing+=("$name")
    done
    ((${#missing[@]} > 0)) || return 0
    is_root || die "packages are missing: ${missing[*]}" "run as root, or first: apt-get install ${missing[*]}"
    apt_update
    say "installing ${missing[*]}"
    apt_install "${missing[@]}"
}

# debian_sources SUITE...: one-line sources of Debian's own archive for these suites, from the machine's configuration.
# Third parties may use a suite of the same name, so the origin that their release file states is looked at.
debian_sources() {
    # shellcheck disable=SC2016 # apt's own variables
    apt-get indextargets --format '$(ORIGIN) $(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        awk -v suites=" $* " -v keyring="$DEBIAN_KEYRING" '
            $1 == "Debian" && $3 == "main" && index(suites, " " $2 " ") {
                print "deb [signed-by=" keyring "] " $4 " " $2 " main"
            }' | LC_ALL=C sort -u
}

# Backports are on the same mirror as the suite itself.
backports_source() { debian_sources bookworm | sed 's/ bookworm main$/ bookworm-backports main/'; }

# install_from SOURCE NAME...: takes packages from Debian and one more source, without adding that source to the machine.
install_from() {
    local source=$1
    shift
    say "installing $*"
    with_source "$source" apt_install "$@"
}

# with_source SOURCE COMMAND...: runs a command that takes options of apt, with those that let apt see Debian and SOURCE.
with_source() {
    local source=$1
    shift
    (
        work=$(mktemp -d)
        trap 'rm -rf "$work"' EXIT
        mkdir -p "$work/lists/partial"
        { debian_sources bookworm bookworm-updates bookworm-security && printf '%s\n' "$source"; } >"$work/sources.list"
        # apt's downloader is an unprivileged user
        chmod -R a+rX "$work"
        options=(-o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists")
        one_apt update -qq "${options[@]}" >&2
        "$@" "${options[@]}"
    )
}
