# shellcheck shell=bash
# SPIRE, for the tests of identities and for examples/envoy-spire; the engine itself does not need it. Version and hashes
# of everything in it stand in dev.d/spire/go.mod and go.sum; moving to a newer one:
# `cd dev.d/spire && go get -tool github.com/spiffe/spire/cmd/spire-{agent,server}@VERSION && go mod tidy`.

# Sets and exports SPIRE_BIN: the directory with spire-server and spire-agent.
need_spire() {
    if [[ -z ${SPIRE_BIN:-} ]]; then
        SPIRE_BIN=$SANDBOX_CACHE/spire/$(content_key "$DEV/dev.d" spire spire.sh)
        cached "$SPIRE_BIN" "SPIRE, server and agent (about 3 minutes)" build_spire
        keep_newest 1 "$SPIRE_BIN"
    fi
    [[ -x $SPIRE_BIN/spire-server && -x $SPIRE_BIN/spire-agent ]] ||
        die "SPIRE_BIN=$SPIRE_BIN has no spire-server and spire-agent" "unset it to have them built"
    export SPIRE_BIN
}

# What SPIRE has for the clouds of others is most of its code, and neither tests nor example need it: without these plugins it is
# built in 3 minutes in place of 8. The rest is SPIRE's own, checked by go.sum before a line is left out.
readonly PLUGINS_LEFT_OUT='(aws|azure|gcp|gcs|k8s|vault|certmanager|ejbca|docker|tpmdevid)[a-z0-9]*("$|\.BuiltIn\(\))'

build_spire() {
    local out=$1 copy=$1/copy
    need_go
    # the server keeps its entries in SQLite, which is C
    install_packages gcc libc6-dev
    (
        export GOTOOLCHAIN=auto GOFLAGS=-mod=readonly CGO_ENABLED=1
        "$GO" -C "$DEV/dev.d/spire" mod download github.com/spiffe/spire >&2
        read -r version source < <("$GO" -C "$DEV/dev.d/spire" list -m -f '{{.Version}} {{.Dir}}' github.com/spiffe/spire)
        mkdir "$copy"
        cp "$DEV"/dev.d/spire/go.{mod,sum} "$copy/"
        cp -r --no-preserve=mode "$source" "$copy/spire"
        sed -i -E "/$PLUGINS_LEFT_OUT/d" "$copy"/spire/pkg/{server,agent}/catalog/*.go
        "$GO" -C "$copy" mod edit -replace github.com/spiffe/spire=./spire
        for program in spire-agent spire-server; do
            "$GO" -C "$copy" build -trimpath -buildvcs=false \
                -ldflags "-s -w -X github.com/spiffe/spire/pkg/common/version.gittag=${version#v}" \
                -o "$out/$program" "github.com/spiffe/spire/cmd/$program" >&2
        done
    )
    rm -rf "$copy"
    "$out/spire-server" --version >&2
}
