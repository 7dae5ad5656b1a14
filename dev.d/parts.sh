# shellcheck shell=bash
# The parts of the project that are built before the engine can start. Each function sets and exports the variable by
# which the engine finds the part; one that is set already is taken as it is.

# Sets and exports GUEST_IMAGE: the directory with root.erofs and manifest.json.
need_image() {
    [[ -n ${GUEST_IMAGE:-} ]] || GUEST_IMAGE=$("$DEV/guest/image/build")
    [[ -f $GUEST_IMAGE/root.erofs && -f $GUEST_IMAGE/manifest.json ]] ||
        die "GUEST_IMAGE=$GUEST_IMAGE has no root.erofs and manifest.json" "unset it to have the image built"
    export GUEST_IMAGE
}

# Sets and exports GUEST_KERNEL: the directory with the kernel and initramfs of microVMs.
need_kernel() {
    [[ -n ${GUEST_KERNEL:-} ]] || GUEST_KERNEL=$("$DEV/guest/kernel/build")
    [[ -f $GUEST_KERNEL/vmlinux && -f $GUEST_KERNEL/initramfs.cpio && -f $GUEST_KERNEL/manifest.json ]] ||
        die "GUEST_KERNEL=$GUEST_KERNEL has no vmlinux, initramfs.cpio and manifest.json" "unset it to have them built"
    export GUEST_KERNEL
}

# Sets and exports LAUNCHER_BIN.
need_launcher() {
    if [[ -z ${LAUNCHER_BIN:-} ]]; then
        local directory
        directory=$SANDBOX_CACHE/launcher/$(content_key "$DEV" launcher)
        cached "$directory" "launcher" build_launcher
        keep_newest 4 "$directory"
        LAUNCHER_BIN=$directory/sandbox-launch
    fi
    [[ -x $LAUNCHER_BIN ]] || die "LAUNCHER_BIN=$LAUNCHER_BIN is no program" "unset it to have the launcher built"
    export LAUNCHER_BIN
}

build_launcher() {
    # a static C program: make, and musl as its C library
    install_packages make gcc musl-tools linux-libc-dev
    make --silent -C "$DEV/launcher" OUT="$1" >&2
}

# Sets ENGINE_JAR; its libraries lie beside it. Needs JAVA_HOME.
need_engine() {
    local key directory
    key=$(engine_key "$DEV")
    directory=$SANDBOX_CACHE/engine/$key
    cached "$directory" "engine" build_engine "$key"
    keep_newest 4 "$directory"
    # shellcheck disable=SC2034 # read by the commands
    ENGINE_JAR=$directory/sandbox-engine.jar
}

engine_key() { content_key "$1" engine/pom.xml engine/.mvn engine/src/main; }

# From a copy of the sources: neither a running engine nor a Maven that works in the tree is disturbed.
build_engine() {
    local key=$1 out=$2 copy=$2/copy
    need_maven
    mkdir -p "$copy/engine/src"
    cp -a "$DEV"/engine/{pom.xml,.mvn} "$copy/engine/"
    cp -a "$DEV/engine/src/main" "$copy/engine/src/"
    [[ $(engine_key "$copy") == "$key" ]] || die "sources of the engine were changed meanwhile" "run it again"
    "$MAVEN" -q -B -f "$copy/engine/pom.xml" -Dmaven.test.skip=true package >&2 </dev/null
    mv "$copy"/engine/target/{sandbox-engine.jar,lib} "$out/"
    rm -rf "$copy"
}
