# shellcheck shell=bash
# The image itself: base, Node.js, agent and runtimes in one EROFS file, and a manifest that says what is in it.

: "${project:?}" "${recipe:?}" "${base_directory:?}" "${node_directory:?}" "${image_directory:?}"

# The same for all images: a file system's identity is its content, which the manifest's hash states.
readonly IMAGE_UUID=68657872-7361-6e64-626f-780000000001

# assemble_root ROOT: the complete root file system in the directory ROOT, which may not exist yet.
assemble_root() {
    local root=$1
    mkdir -p "$root"
    tar -C "$root" --numeric-owner -xpf "$base_directory/base.tar"
    install -D -m 755 "$node_directory/node" "$root/usr/local/bin/node"
    build_agent "$root"
    "$project/guest/runtimes/install.sh" "$root" >&2
    compile_python "$root"
}

build_agent() {
    local root=$1 out
    out=$(mktemp -d)
    make --silent -C "$project/guest/agent" OUT="$out" >&2
    install -m 755 "$out/agent" "$root/sbin/agent"
    rm -rf "$out"
}

# build_image DIRECTORY: root.erofs, manifest.json and packages.txt in DIRECTORY.
build_image() {
    local out=$1 root=$1/root key sha256
    key=$(basename "$image_directory")
    assemble_root "$root"
    [[ $(image_key) == "$key" ]] || die "sources of the guest were changed while the image was built" "run it again"
    say "guest image: writing EROFS"
    # Uncompressed and without inline data: gVisor reads no other. No extended attributes, so no file capabilities.
    mkfs.erofs --quiet -Enoinline_data -x-1 -T"$SOURCE_DATE_EPOCH" -U"$IMAGE_UUID" "$out/root.erofs" "$root" >&2
    sha256=$(sha256sum "$out/root.erofs" | cut -d' ' -f1)
    in_root "$root" python3 -IB - "$key" "$sha256" <"$recipe/manifest.py" >"$out/manifest.json"
    cp "$base_directory/packages.txt" "$out/packages.txt"
    rm -rf "$root"
}
