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

# Sets PLAYGROUND_PAGE: the directory with the page at `/` and its Content-Security-Policy.
need_playground() {
    PLAYGROUND_PAGE=$SANDBOX_CACHE/playground/$(content_key "$DEV" playground)
    cached "$PLAYGROUND_PAGE" "playground" build_playground
    keep_newest 4 "$PLAYGROUND_PAGE"
}

build_playground() {
    local out=$1 copy=$1/copy
    cp -a "$DEV/playground" "$copy"
    install_node_modules "$copy"
    node "$copy/build.js" "$out" >&2
    rm -rf "$copy"
}

# Sets PLAYGROUND_TESTS: the directory with the node_modules that drive Chromium.
need_playground_tests() {
    PLAYGROUND_TESTS=$SANDBOX_CACHE/playground-tests/$(content_key "$DEV/playground/test" package-lock.json)
    cached "$PLAYGROUND_TESTS" "what drives Chromium" fetch_playground_tests
    keep_newest 1 "$PLAYGROUND_TESTS"
}

fetch_playground_tests() {
    cp "$DEV"/playground/test/{package.json,package-lock.json,.npmrc} "$1/"
    install_node_modules "$1"
}

# install_node_modules DIRECTORY: what its package-lock.json names, checked by the hashes there; none of it is run.
install_node_modules() {
    command -v npm >/dev/null || install_packages npm
    npm --prefix "$1" ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2 </dev/null
}

# Sets ENGINE_JAR; its libraries lie beside it. Needs JAVA_HOME.
need_engine() {
    local key directory
    need_playground
    key=$(engine_key "$DEV")
    directory=$SANDBOX_CACHE/engine/$key-$(basename "$PLAYGROUND_PAGE")
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
    mkdir -p "$copy/engine/src/main/resources/playground"
    cp "$PLAYGROUND_PAGE"/* "$copy/engine/src/main/resources/playground/"
    "$MAVEN" -q -B -f "$copy/engine/pom.xml" -Dmaven.test.skip=true package >&2 </dev/null
    mv "$copy"/engine/target/{sandbox-engine.jar,lib} "$out/"
    rm -rf "$copy"
}

# What jdeps does not see: jdk.jcmd and jdk.jfr are to look into a running engine; java.net.http is for the sender of
# traces, a library that is found as a service.
readonly MORE_MODULES=jdk.jcmd,jdk.jfr,java.net.http

# Sets ENGINE_COMMAND: the command line that starts the engine. Needs JAVA_HOME and, where there is no runtime yet, what
# set_up sets and STATE_DIR.
engine_command() {
    local options=$DEV/engine/jvm.options key runtime
    need_engine
    # An AOT cache fits one jar, by its time too, and one JVM with its options.
    key=$({ stat -c '%n %Y' "$ENGINE_JAR" && cat "$JAVA_HOME/release" "$options" && echo "$MORE_MODULES"; } | sha256sum | cut -c1-16)
    runtime=$SANDBOX_CACHE/engine-runtime/$key
    cached "$runtime" "the engine's own Java, and its AOT cache by a first start" build_engine_runtime
    # shellcheck disable=SC2034 # read by the commands
    if [[ -f $runtime/engine.aot ]]; then
        keep_newest 2 "$runtime"
        # not for the engine: keep_newest finds it in a running one's environment
        export ENGINE_RUNTIME=$runtime
        ENGINE_COMMAND=("$runtime/java/bin/java" "@$options" "-XX:AOTCache=$runtime/engine.aot" -jar "$ENGINE_JAR")
    else
        rm -rf "$runtime"
        say "WARNING: the engine starts more slowly, on the JDK and without an AOT cache; the reason is above"
        ENGINE_COMMAND=("$JAVA_HOME/bin/java" "@$options" -jar "$ENGINE_JAR")
    fi
}

# build_engine_runtime DIRECTORY: java and engine.aot. Never fails, since an engine runs without: they are not there then.
build_engine_runtime() {
    local out=$1 log=$1/log modules
    if modules=$("$JAVA_HOME/bin/jdeps" --ignore-missing-deps --multi-release 25 --print-module-deps --recursive \
        --class-path "$(dirname "$ENGINE_JAR")/lib/*" "$ENGINE_JAR" 2>"$log") &&
        "$JAVA_HOME/bin/jlink" --add-modules "$modules,$MORE_MODULES" --no-header-files --no-man-pages \
            --generate-cds-archive --output "$out/java" >>"$log" 2>&1; then
        train_engine "$out"
    else
        tail -n 20 "$log" >&2
    fi
    rm -f "$log"
}

# train_engine DIRECTORY: one start on the real state directory, with a call, and its stop, at which the JVM writes
# engine.aot (JEP 514), if all went well.
train_engine() {
    local out=$1 log=$1/log socket=$1/socket name variables=() engine ready trained=
    # the parts, and nothing of how the user wants it to serve
    for name in PATH HOME STATE_DIR GUEST_IMAGE GUEST_KERNEL LAUNCHER_BIN RUNSC_BIN FIRECRACKER_BIN JAILER_BIN SANDBOX_BACKEND; do
        [[ -z ${!name:-} ]] || variables+=("$name=${!name}")
    done
    # setpriv: the engine does not outlive this shell
    env -i "${variables[@]}" LISTEN_ADDRESS="unix:$socket" PYTHON_VARIANTS=1 SHUTDOWN_TIMEOUT=5s \
        setpriv --pdeathsig TERM "$out/java/bin/java" "@$DEV/engine/jvm.options" "-XX:AOTCacheOutput=$out/engine.aot" \
        -jar "$ENGINE_JAR" >"$log" 2>&1 &
    engine=$!
    ready=$(timeout 240 tail -n +1 -f --pid="$engine" "$log" | grep -m 1 '^Ready: ' || true)
    if [[ -n $ready ]] &&
        curl -fsS -o /dev/null --max-time 10 --unix-socket "$socket" http://engine/health &&
        curl -fsS -o /dev/null --max-time 10 --unix-socket "$socket" http://engine/metrics &&
        curl -fsS -o /dev/null --max-time 30 --unix-socket "$socket" http://engine/api/v1/exec \
            -H 'Content-Type: application/json' -d '{"code": "echo 1", "language": "bash"}'; then
        trained=yes
    fi
    kill -TERM "$engine" 2>/dev/null || true
    # until it has ended, and with it the JVM that it starts to write the cache
    timeout 120 tail -f --pid="$engine" /dev/null || kill -KILL "$engine" 2>/dev/null || true
    wait "$engine" || true
    [[ -n $trained && -f $out/engine.aot ]] || {
        rm -f "$out/engine.aot"
        tail -n 20 "$log" >&2
    }
    rm -f "$out/engine.aot.config" "$socket" "$log"
}
