# shellcheck shell=bash
# The bundle itself: the ELF kernel that Firecracker boots, and an initramfs with the agent and the modules that it loads.

: "${DEV:?}" "${bundle_directory:?}"

# What the agent needs to reach drive and host. All else that Debian builds as a module stays out.
readonly WANTED_MODULES=(virtio_mmio virtio_blk erofs vmw_vsock_virtio_transport)

# Taken by modprobe for the sake of speed, and refused by a CPU without SSE 4.2: the kernel's own CRC32c does.
readonly UNWANTED_MODULE=crc32c-intel

# All file times in the initramfs, as in the image.
readonly BUNDLE_EPOCH=1767225600

# number_in FILE OFFSET BYTES: little endian, as everything on x86.
number_in() { od -An -v -tu"$3" -j"$2" -N"$3" "$1" | tr -d ' '; }

# extract_vmlinux VMLINUZ OUT: the compressed kernel inside a bzImage. The offsets are those of the boot protocol, fields
# setup_sects, payload_offset and payload_length; the last four bytes of the payload are its unpacked size
# (Documentation/arch/x86/boot.rst).
extract_vmlinux() {
    local image=$1 out=$2 start length
    start=$((($(number_in "$image" 0x1f1 1) + 1) * 512 + $(number_in "$image" 0x248 4)))
    length=$(number_in "$image" 0x24c 4)
    # not a pipe from tail, which would end by a broken one
    head -c $((start + length - 4)) "$image" | tail -c $((length - 4)) | zstd -dqc >"$out"
    [[ $(head -c 4 "$out") == $'\x7fELF' && $(stat -c %s "$out") == $(number_in "$image" $((start + length - 4)) 4) ]] ||
        die "$image holds no kernel that is compressed by zstd"
}

# module_files ROOT RELEASE: paths of the wanted modules, each after those that it needs.
module_files() {
    local root=$1 release=$2 module
    for module in "${WANTED_MODULES[@]}"; do
        modprobe --dirname "$root" --set-version "$release" --show-depends "$module"
    done | awk -v unwanted="/$UNWANTED_MODULE.ko" '$1 == "insmod" && !index($2, unwanted) && !seen[$2]++ { print $2 }'
}

# unpack_modules KERNEL RELEASE DIRECTORY: the modules, decompressed, under names whose order is that of loading.
unpack_modules() {
    local kernel=$1 release=$2 out=$3 work=$3.work file number=0
    # modules.dep is made when the package is installed, which it is not: depmod makes it in a copy.
    mkdir -p "$work/lib" "$out"
    cp -a "$kernel/lib/modules" "$work/lib/"
    depmod -b "$work" "$release"
    module_files "$work" "$release" >"$work/files"
    while read -r file; do
        xz -dc "$file" >"$out/$(printf '%02d' "$number")-$(basename "$file" .xz)"
        number=$((number + 1))
    done <"$work/files"
    rm -rf "$work"
}

# pack_initramfs DIRECTORY OUT: the same bytes whoever builds, and when. The kernel's own initramfs brings /dev/console.
pack_initramfs() {
    local root=$1 out=$2
    find "$root" -exec touch -hd "@$BUNDLE_EPOCH" {} +
    (cd "$root" && find . -mindepth 1 -print0 | LC_ALL=C sort -z |
        cpio --quiet --null -o -H newc --reproducible --owner 0:0) >"$out"
}

build_initramfs() {
    local kernel=$1 release=$2 out=$3 root=$3.root
    mkdir "$root"
    unpack_modules "$kernel" "$release" "$root/modules"
    make --silent -C "$DEV/guest/agent" OUT="$out.agent" >&2
    install -m 755 "$out.agent/agent" "$root/init"
    chmod 755 "$root" "$root/modules" && chmod 644 "$root"/modules/*
    pack_initramfs "$root" "$out"
    rm -rf "$root" "$out.agent"
}

# build_bundle DIRECTORY: vmlinux, initramfs.cpio and manifest.json in DIRECTORY.
build_bundle() {
    local out=$1 release
    release=$(basename "$DEBIAN_KERNEL"/lib/modules/*)
    [[ $release == 6.12.* ]] || die "Debian's kernel is $release" "the agent is written for 6.12 and newer: look at docs/agent-protocol.md first"
    extract_vmlinux "$DEBIAN_KERNEL/boot/vmlinuz-$release" "$out/vmlinux"
    build_initramfs "$DEBIAN_KERNEL" "$release" "$out/initramfs.cpio"
    [[ $(bundle_key) == "$(basename "$bundle_directory")" ]] || die "sources of the agent were changed meanwhile" "run it again"
    printf '{"kernel": "%s", "vmlinux_sha256": "%s", "initramfs_sha256": "%s"}\n' "$release" \
        "$(sha256sum <"$out/vmlinux" | cut -d' ' -f1)" "$(sha256sum <"$out/initramfs.cpio" | cut -d' ' -f1)" >"$out/manifest.json"
}
