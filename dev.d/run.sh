# shellcheck shell=bash
# ./dev run: everything that is missing, then the engine in this process, so that signals reach it.

dev_run() {
    local argument
    for argument; do
        case $argument in
            # Answered by the engine without any sandbox: needs no root and no image.
            -h | --help | -V | --version)
                need_jdk
                need_engine
                exec "$JAVA_HOME/bin/java" -jar "$ENGINE_JAR" "$@"
                ;;
        esac
    done
    is_root || die "./dev run needs root" \
        "- to make cgroups, which bound the memory, CPU and processes of each sandbox" \
        "- to start runsc, which puts each sandbox into namespaces and a user of its own" \
        "- to install what is missing and to build the guest's root file system" \
        "Try: sudo ./dev run"
    set_up
    use_firecracker /dev/kvm
    [[ ! -x ${FIRECRACKER_BIN:-/usr/bin/firecracker} ]] || need_kernel
    export STATE_DIR=${STATE_DIR:-$SANDBOX_CACHE/state}
    engine_command
    exec "${ENGINE_COMMAND[@]}" "$@"
}

# What the engine and its tests stand on.
set_up() {
    [[ $(uname -m) == x86_64 ]] || die "this machine is $(uname -m): image and runsc are built for x86_64 only"
    # curl: for the request that the engine prints when it serves; util-linux: setpriv
    install_packages curl util-linux
    need_jdk
    need_launcher
    need_image
    need_kernel
    need_runsc
}
