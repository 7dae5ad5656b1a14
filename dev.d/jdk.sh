# shellcheck shell=bash
# JDK 25. Debian bookworm's own is 17 and is often there too, so a JDK is taken by what its `release` file states and
# never by what `java` happens to be.

# Adoptium has an apt repository that no package client knows by itself, so its address stands here.
: "${ADOPTIUM_APT:=https://packages.adoptium.net/artifactory}"
readonly ADOPTIUM_FINGERPRINT=3B04D753C9050D9A5D343F39843C48A565F8F04B

# Sets and exports JAVA_HOME.
need_jdk() {
    local directory
    directory=$(find_jdk)
    if [[ -z $directory ]]; then
        [[ -z ${JAVA_HOME:-} ]] || say "JAVA_HOME=$JAVA_HOME is no JDK 25"
        install_temurin
        directory=$(find_jdk)
        [[ -n $directory ]] || die "no JDK 25 in /usr/lib/jvm although it was installed" "set JAVA_HOME to it"
    fi
    export JAVA_HOME=$directory
}

find_jdk() {
    local directory
    for directory in "${JAVA_HOME:-}" /usr/lib/jvm/*25*; do
        if [[ -n $directory && -x $directory/bin/javac ]] && grep -q '^JAVA_VERSION="25' "$directory/release"; then
            echo "$directory"
            break
        fi
    done
}

install_temurin() {
    is_root || die "no JDK 25 on this machine" "set JAVA_HOME to one, or run as root to install Temurin 25"
    # ca-certificates for the download, gpg to read the key's fingerprint
    install_packages ca-certificates gpg
    (
        # Not in the cache: apt's downloader and its signature check are an unprivileged user.
        work=$(mktemp -d)
        trap 'rm -rf "$work"' EXIT
        chmod 755 "$work"
        chown _apt "$work"
        key=$work/adoptium.asc
        /usr/lib/apt/apt-helper download-file "$ADOPTIUM_APT/api/gpg/key/public" "$key" >&2 ||
            die "Adoptium's repository cannot be reached" "install a JDK 25 by other means and set JAVA_HOME"
        # Every primary key of the file counts: one more than expected would be trusted as well.
        fingerprints=$(gpg --homedir "$work" --batch --no-autostart --show-keys --with-colons "$key" |
            awk -F: '$1 == "pub" { primary = 1 } $1 == "fpr" && primary { print $10; primary = 0 }')
        [[ $fingerprints == "$ADOPTIUM_FINGERPRINT" ]] ||
            die "Adoptium's signing key is not the one expected: $fingerprints" "expected $ADOPTIUM_FINGERPRINT"
        apt_update
        install_from "deb [signed-by=$key] $ADOPTIUM_APT/deb bookworm main" temurin-25-jdk
    )
}
