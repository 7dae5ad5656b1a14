# shellcheck shell=bash
# ./dev test: all set-up, then every test of the project but the soak. All stages run even when one fails; the last line
# counts. With TEST_TRIES=2, as CI has it, a stage that failed is tried once more, and told as flaky when it passes then: on
# a machine that others use too, a few of thousands of tests may fail for the time that something took, and a fault of the
# product mostly fails twice.

PASSED=0 FAILED=0 SKIPPED=0 FAILED_STAGES=() FLAKY_STAGES=() BESIDE=
TRIES=${TEST_TRIES:-1}
# Of each stage that failed, at the end
TOLD_LINES=100

dev_test() {
    [[ $TRIES =~ ^[1-9]$ ]] || die "TEST_TRIES=$TRIES: must be a number from 1 to 9"
    is_root || die "./dev test needs root" "its tests start real sandboxes: see ./dev run. Try: sudo ./dev test"
    # To check the scripts (shellcheck) and the C code (clang-format), to build it (make, gcc, musl) and to fuzz it (clang and
    # libFuzzer's library); tests are written in Python too and look at processes by ps (procps).
    install_packages shellcheck clang-format make gcc musl-tools linux-libc-dev clang-14 libclang-rt-14-dev python3 procps
    set_up_tests
    need_lab_test_parts
    need_spire
    need_envoy

    LOGS=$(mktemp -d)
    trap 'end_beside; rm -rf --one-file-system "$LOGS"' EXIT
    mapfile -t scripts < <(shell_scripts)
    mapfile -t sources < <(c_sources)
    stage "shell scripts" shellcheck -x "${scripts[@]}"
    stage "stages" "$DEV/dev.d/test-stages"
    # One emulated processor, for two minutes: it leaves the other to the stages that follow.
    beside "$DEV/dev" lab --share "$DEV/guest/agent/test" --seconds 2400 --run "$DEV/guest/agent/test/vm/run"
    stage "installing Firecracker" "$DEV/dev.d/test-firecracker"
    stage "shell of the lab" python3 -B "$DEV/lab/machine_test.py"
    stage "format of the C code" clang-format --dry-run -Werror "${sources[@]}"
    stage "launcher" make --silent -C "$DEV/launcher" OUT="$LOGS/launcher" test
    stage "agent" make --silent -C "$DEV/guest/agent" OUT="$LOGS/agent" test
    stage "agent, fuzzed" make --silent -C "$DEV/guest/agent" OUT="$LOGS/fuzz" fuzz
    stage "guest image" "$DEV/guest/image/test"
    stage "guest kernel" "$DEV/guest/kernel/test"
    stage "runtimes" "$DEV/dev.d/test-runtimes"
    await_beside
    stage "agent in a microVM" replay_beside
    stage "engine" "$MAVEN" -B -ntp -f "$DEV/engine/pom.xml" -DexcludedTags=lab,soak verify
    stage "alerts for Prometheus" "$DEV/dev.d/test-alerts"
    stage "API contract and Python SDK" "$DEV/dev.d/test-sdk"
    stage "Java SDK" "$DEV/dev.d/test-sdk-java"
    stage "playground in Chromium" "$DEV/dev.d/test-playground"
    stage "real Firecracker, in the lab" "$DEV/dev.d/test-lab"
    stage "bench harness" python3 -B "$DEV/bench/bench_test.py"
    stage "microbenchmarks run" "$DEV/dev" bench --jmh -foe true -f 0 -wi 0 -i 1 -r 10ms
    stage "ratios of speed" "$DEV/dev" bench --check --out "$LOGS/bench"
    report
}

set_up_tests() {
    set_up
    need_firecracker_tests
    need_kernel
    need_maven
    # Apart from that of ./dev run, which may go on meanwhile; templates made by one test run serve the next.
    export STATE_DIR=${STATE_DIR:-$SANDBOX_CACHE/test-state}
    # The choice itself has a test; the others need not wait at every start until a KVM is proven not to work.
    export SANDBOX_BACKEND=${SANDBOX_BACKEND:-gvisor}
}

# ./dev soak: the tests that are too long for every change.
dev_soak() {
    is_root || die "./dev soak needs root" "it starts real sandboxes: see ./dev run. Try: sudo ./dev soak"
    set_up_tests
    exec "$MAVEN" -B -ntp -f "$DEV/engine/pom.xml" -DincludedTags=soak -DexcludedTags= test </dev/null
}

# stage NAME COMMAND...: a stage's own closing line gives its numbers; one that has none counts as one test.
stage() {
    local name=$1 log=$LOGS/output status try
    shift
    for ((try = 1; try <= TRIES; try++)); do
        status=0
        say "test: $name$( ((try == 1)) || echo ", try $try")"
        "$@" </dev/null 2>&1 | tee "$log" || status=$?
        ((status != 0)) || break
        cp "$log" "$LOGS/failed: $name"
    done
    count "$log" "$status"
    if ((status != 0)); then
        FAILED_STAGES+=("$name")
    elif ((try > 1)); then
        FLAKY_STAGES+=("$name")
    fi
}

# count LOG STATUS: adds what a stage that ended so says of itself.
count() {
    local log=$1 status=$2 line passed=0 failed=0
    if line=$(grep -E '^(.*\] )?Tests run: [0-9]+, Failures: [0-9]+, Errors: [0-9]+, Skipped: [0-9]+$' "$log" | tail -1) && [[ -n $line ]]; then
        local run failures errors skipped
        read -r run failures errors skipped < <(grep -oE '[0-9]+' <<<"${line##*Tests run}" | paste -sd' ')
        failed=$((failures + errors)) passed=$((run - failures - errors - skipped)) SKIPPED=$((SKIPPED + skipped))
    elif line=$(grep -E '[0-9]+ passed, [0-9]+ failed' "$log" | tail -1) && [[ -n $line ]]; then
        read -r passed failed < <(grep -oE '[0-9]+ passed, [0-9]+ failed' <<<"$line" | grep -oE '[0-9]+' | paste -sd' ')
    elif ((status == 0)); then
        passed=1
    fi
    ((status == 0 || failed > 0)) || failed=1
    PASSED=$((PASSED + passed)) FAILED=$((FAILED + failed))
}

# beside COMMAND...: starts the one command that runs beside stages. A stage after await_beside replays it: what it said and how it ended.
beside() {
    BESIDE_COMMAND=("$@")
    "$@" </dev/null >"$LOGS/beside" 2>&1 &
    BESIDE=$!
}

await_beside() {
    BESIDE_STATUS=0
    wait "$BESIDE" || BESIDE_STATUS=$?
    BESIDE=
}

# Tried again it runs by itself.
replay_beside() {
    if ((try > 1)); then
        "${BESIDE_COMMAND[@]}"
        return
    fi
    cat "$LOGS/beside"
    return "$BESIDE_STATUS"
}

# Of a test run that ends early
end_beside() { [[ -z $BESIDE ]] || kill "$BESIDE" 2>/dev/null || true; }

# Says once more what failed: of a long log often only the end is kept.
report() {
    local name
    for name in "${FAILED_STAGES[@]}" "${FLAKY_STAGES[@]}"; do
        printf '\n==> failed: %s; its last lines:\n' "$name"
        tail -n "$TOLD_LINES" "$LOGS/failed: $name" | cut -c1-300
    done
    ((${#FLAKY_STAGES[@]} == 0)) || printf 'flaky, passed when tried again: %s\n' "${FLAKY_STAGES[@]}"
    ((${#FAILED_STAGES[@]} == 0)) || printf 'failed: %s\n' "${FAILED_STAGES[@]}"
    printf '%d passed, %d failed%s\n' "$PASSED" "$FAILED" "$( ((SKIPPED == 0)) || echo ", $SKIPPED skipped")"
    ((FAILED == 0 && ${#FAILED_STAGES[@]} == 0))
}

shell_scripts() {
    find "$DEV" \( -name target -o -name .git \) -prune -o -type f \( -name '*.sh' -o -perm -u+x \) -print |
        while read -r file; do
            if head -1 "$file" | grep -qE '^#( shellcheck shell=|!.*\b(ba)?sh$)'; then echo "$file"; fi
        done
}

c_sources() { find "$DEV/guest/agent" "$DEV/launcher" -name '*.[ch]'; }
