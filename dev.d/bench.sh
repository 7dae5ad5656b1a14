# shellcheck shell=bash
# ./dev bench: see docs/bench.md; the harness is in bench/.

dev_bench() {
    case " $* " in
        *' --help '* | *' -h '*)
            exec python3 -B "$DEV/bench/bench.py" --help
            ;;
        ' --jmh '*)
            bench_jmh "${@:2}"
            ;;
        *' --url '*)
            need_bench_tools
            exec "$BENCH_TOOLS/bin/python" -B "$DEV/bench/bench.py" "$@"
            ;;
        *)
            is_root || die "./dev bench needs root" "it starts an engine: see ./dev run. Try: sudo ./dev bench"
            export STATE_DIR=${STATE_DIR:-$SANDBOX_CACHE/bench-state}
            set_up
            engine_command
            need_bench_tools
            need_bench_root
            install_packages bubblewrap util-linux
            in_bench_root "$BENCH_TOOLS/bin/python" -B "$DEV/bench/bench.py" "$@" --root "$BENCH_ROOT" --command "${ENGINE_COMMAND[@]}"
            ;;
    esac
}

# Sets BENCH_TOOLS: a virtual environment with what draws the chart.
need_bench_tools() { need_venv BENCH_TOOLS python3 "$DEV/bench/requirements.txt"; }

# Sets BENCH_ROOT: the guest image's root as a directory, for the same interpreters without the engine.
need_bench_root() {
    BENCH_ROOT=$SANDBOX_CACHE/bench-root/$(basename "$("$DEV/guest/image/build" --key)")
    cached "$BENCH_ROOT" "root of the bare interpreters" "$DEV/guest/image/build" --root
    keep_newest 1 "$BENCH_ROOT"
}

# In a mount namespace of its own, so that its mounts end with it.
in_bench_root() {
    # shellcheck disable=SC2016 # expands inside
    exec unshare --mount -- bash -euc '
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        mount -t tmpfs none "$1/tmp"
        mount -t tmpfs none "$1/run"
        shift
        exec "$@"' in_bench_root "$BENCH_ROOT" "$@"
}

# bench_jmh ARGUMENT...: for JMH's own command line: a pattern of names, -f, -wi, -i and so on.
bench_jmh() {
    local jmh engine
    need_jdk
    need_engine
    need_maven
    jmh=$SANDBOX_CACHE/jmh/$(content_key "$DEV/bench/jmh" pom.xml)
    cached "$jmh" "JMH" fetch_jmh
    keep_newest 1 "$jmh"
    engine="$ENGINE_JAR:$(dirname "$ENGINE_JAR")/lib/*"
    (
        classes=$(mktemp -d)
        trap 'rm -rf "$classes"' EXIT
        find "$DEV/bench/jmh/src" -name '*.java' -print0 |
            xargs -0 "$JAVA_HOME/bin/javac" -proc:full -Xlint:all,-processing,-classfile -Werror -d "$classes" -cp "$engine:$jmh/*"
        "$JAVA_HOME/bin/java" -cp "$classes:$engine:$jmh/*" org.openjdk.jmh.Main "$@"
    )
}

fetch_jmh() {
    "$MAVEN" -q -B -f "$DEV/bench/jmh/pom.xml" dependency:copy-dependencies "-DoutputDirectory=$1" >&2 </dev/null
}
