# shellcheck shell=bash
# runsc (gVisor), built from its Go module. Version and hashes of everything in it stand in dev.d/runsc/go.mod and go.sum;
# moving to a newer one: `cd dev.d/runsc && go get -tool gvisor.dev/gvisor/runsc@VERSION && go mod tidy`.

# Sets and exports RUNSC_BIN.
need_runsc() {
    if [[ -z ${RUNSC_BIN:-} ]]; then
        local directory
        directory=$SANDBOX_CACHE/runsc/$(content_key "$DEV/dev.d" runsc runsc.sh)
        cached "$directory" "runsc, the gVisor sandbox (about 75 s)" build_runsc
        keep_newest 2 "$directory"
        RUNSC_BIN=$directory/runsc
    fi
    [[ -x $RUNSC_BIN ]] || die "RUNSC_BIN=$RUNSC_BIN is no program" "unset it to have runsc built"
    export RUNSC_BIN
}

build_runsc() {
    local out=$1
    need_go
    # What go.sum does not name is an error, not a download. The module may need a newer Go than is installed: let Go fetch
    # it, which Debian's build of Go would not do by itself.
    (
        export GOTOOLCHAIN=auto GOFLAGS=-mod=readonly CGO_ENABLED=0
        version=$("$GO" -C "$DEV/dev.d/runsc" list -m -f '{{.Version}}' gvisor.dev/gvisor)
        "$GO" -C "$DEV/dev.d/runsc" build -trimpath -buildvcs=false -ldflags "-s -w -X gvisor.dev/gvisor/runsc/version.version=$version" \
            -o "$out/runsc" gvisor.dev/gvisor/runsc >&2
    )
    "$out/runsc" --version >&2
}

# Sets GO: any Go from 1.21 on can fetch the toolchain that a module asks for; bookworm's own is 1.19.
need_go() {
    local candidate version
    for candidate in go /usr/local/go/bin/go /usr/lib/go-1.23/bin/go; do
        version=$(GOTOOLCHAIN=local "$candidate" env GOVERSION 2>/dev/null | grep -oE '[0-9]+\.[0-9]+' || true)
        if [[ -n $version && $(printf '%s\n' 1.21 "$version" | sort -V | head -1) == 1.21 ]]; then
            GO=$candidate
            return
        fi
    done
    is_root || die "no Go 1.21 or newer" "run as root to install it, or set RUNSC_BIN"
    # ca-certificates: Go fetches modules over TLS
    install_packages ca-certificates
    apt_update
    install_from "$(backports_source)" golang-1.23-go
    GO=/usr/lib/go-1.23/bin/go
}
