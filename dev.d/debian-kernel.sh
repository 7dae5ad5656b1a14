# shellcheck shell=bash
# Debian's kernel for virtual machines, unpacked and not installed: the guest of Firecracker and the lab's outer machine
# boot it. Updates come in when this date is moved. Taken: 2026-11-29

# Sets DEBIAN_KERNEL: a directory with boot/vmlinuz-RELEASE, boot/config-RELEASE and lib/modules/RELEASE.
need_debian_kernel() {
    DEBIAN_KERNEL=$SANDBOX_CACHE/debian-kernel/$(content_key "$DEV/dev.d" debian-kernel.sh)
    cached "$DEBIAN_KERNEL" "Debian's cloud kernel" fetch_debian_kernel
    keep_newest 2 "$DEBIAN_KERNEL"
}

fetch_debian_kernel() {
    apt_update
    with_source "$(backports_source)" unpack_debian_kernel "$1"
}

# unpack_debian_kernel DIRECTORY APT-OPTION...
unpack_debian_kernel() {
    local out=$1 package
    shift
    # the name without a release is an empty package that depends on the newest
    package=$(apt-cache "$@" -o APT::Default-Release=bookworm-backports show --no-all-versions linux-image-cloud-amd64 |
        sed -nE 's/^Depends: (linux-image-[^ ,]+).*/\1/p')
    [[ -n $package ]] || die "Debian's backports have no linux-image-cloud-amd64"
    (cd "$out" && apt-get "$@" -qq -o APT::Sandbox::User=root download "$package" >&2)
    dpkg-deb -x "$out"/*.deb "$out"
    rm "$out"/*.deb
}
