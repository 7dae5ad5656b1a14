# shellcheck shell=bash
# SPIRE, for the tests of identities and for examples/envoy-spire; the engine itself does not need it. Version and hashes
# of everything in it stand in dev.d/spire/go.mod and go.sum; moving to a newer one:
# `cd dev.d/spire && go get -tool github.com/spiffe/spire/cmd/spire-{agent,server}@VERSION && go mod tidy`.

# Sets and exports SPIRE_BIN: the directory with spire-server and spire-agent.
need_spire() {
    if [[ -z ${SPIRE_BIN:-} ]]; then
        SPIRE_BIN=$SANDBOX_CACHE/spire/$(content_key "$DEV/dev.d" spire spire.sh)
        cached "$SPIRE_BIN" "SPIRE, server and agent (about 8 minutes)" build_spire
        keep_newest 1 "$SPIRE_BIN"
    fi
    [[ -x $SPIRE_BIN/spire-server && -x $SPIRE_BIN/spire-agent ]] ||
        die "SPIRE_BIN=$SPIRE_BIN has no spire-server and spire-agent" "unset it to have them built"
    export SPIRE_BIN
}

build_spire() {
    local out=$1
    need_go
    # the server keeps its entries in SQLite, which is C
    install_packages gcc libc6-dev
    (
        export GOTOOLCHAIN=auto GOFLAGS=-mod=readonly CGO_ENABLED=1
        version=$("$GO" -C "$DEV/dev.d/spire" list -m -f '{{.Version}}' github.com/spiffe/spire)
        for program in spire-agent spire-server; do
            "$GO" -C "$DEV/dev.d/spire" build -trimpath -buildvcs=false \
                -ldflags "-s -w -X github.com/spiffe/spire/pkg/common/version.gittag=${version#v}" \
                -o "$out/$program" "github.com/spiffe/spire/cmd/$program" >&2
        done
    )
    "$out/spire-server" --version >&2
}
