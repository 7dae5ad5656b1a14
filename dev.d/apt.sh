# shellcheck shell=bash
# Debian packages, from the sources that this machine has: no host is named here.

readonly DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# Once per run of the script: the lists of a fresh machine are empty, and apt knows a source's origin only from them.
apt_update() {
    [[ -z ${APT_UPDATED:-} ]] || return 0
    say "apt-get update"
    apt-get update -qq >&2
    APT_UPDATED=1
}

# install_packages NAME...: only those that are absent, so that a machine that has them needs no network.
install_packages() {
    local name missing=()
    for name; do
        [[ $(dpkg-query -W -f '${Status}' "$name" 2>/dev/null) == 'install ok installed' ]] || missing+=("$name")
    done
    ((${#missing[@]} > 0)) || return 0
    is_root || die "packages are missing: ${missing[*]}" "run as root, or: apt-get install ${missing[*]}"
    apt_update
    say "installing ${missing[*]}"
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >&2 </dev/null
}

# debian_sources SUITE...: one-line sources of Debian's own archive for these suites, from the machine's configuration.
# Third parties may use a suite of the same name, so the origin that their release file states is looked at.
debian_sources() {
    local suites=" $* "
    # shellcheck disable=SC2016 # apt's own variables
    apt-get indextargets --format '$(ORIGIN) $(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        awk -v suites="$suites" -v keyring="$DEBIAN_KEYRING" '
            $1 == "Debian" && $3 == "main" && index(suites, " " $2 " ") {
                print "deb [signed-by=" keyring "] " $4 " " $2 " main"
            }' | LC_ALL=C sort -u
}

# Backports are on the same mirror as the suite itself.
backports_source() { debian_sources bookworm | sed 's/ bookworm main$/ bookworm-backports main/'; }

# install_backport NAME...: takes the packages from backports without adding a source to the machine.
install_backport() {
    apt_update
    local lists
    lists=$(mktemp -d)
    (
        trap 'rm -rf "$lists"' EXIT
        { debian_sources bookworm bookworm-updates bookworm-security && backports_source; } >"$lists/sources.list"
        mkdir -p "$lists/partial"
        chmod -R a+rX "$lists"
        local options=(-o "Dir::Etc::SourceList=$lists/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$lists")
        apt-get update -qq "${options[@]}" >&2
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends -t bookworm-backports \
            "${options[@]}" "$@" >&2 </dev/null
    )
}
