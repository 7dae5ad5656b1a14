# shellcheck shell=bash
# promtool, which checks deploy/prometheus: from Debian's package of Prometheus, unpacked and not installed, so that no
# Prometheus starts. Updates come in when this date is moved. Taken: 2026-11-30

# Sets PROMTOOL.
need_promtool() {
    local directory
    directory=$SANDBOX_CACHE/promtool/$(content_key "$DEV/dev.d" promtool.sh)
    cached "$directory" "promtool" fetch_promtool
    keep_newest 1 "$directory"
    # shellcheck disable=SC2034 # read by the tests
    PROMTOOL=$directory/promtool
}

fetch_promtool() {
    local out=$1
    apt_update
    (cd "$out" && apt-get -qq -o APT::Sandbox::User=root download prometheus >&2)
    dpkg-deb --fsys-tarfile "$out"/*.deb | tar -x -C "$out" --strip-components=3 ./usr/bin/promtool
    rm "$out"/*.deb
    "$out/promtool" --version >/dev/null
}
