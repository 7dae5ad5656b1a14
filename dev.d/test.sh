# shellcheck shell=bash
# ./dev test: all set-up, then every test of the project but the soak. All stages run even when one fails; the last line
# counts. With TEST_TRIES=2, as CI has it, a stage that failed is tried once more, and told as flaky when it passes then: on
# a machine that others use too, a few of thousands of tests may fail for the time that something took, and a fault of the
# product mostly fails twice.

TRIES=${TEST_TRIES:-1}
# Where stages show what their commands say: a lane beside has a file
OUT=1
# Of each stage that failed, at the end
TOLD_LINES=100
EMULATOR_NICE=5

dev_test() {
    [[ $TRIES =~ ^[1-9]$ ]] || die "TEST_TRIES=$TRIES: must be a number from 1 to 9"
    is_root || die "./dev test needs root" "its tests start real sandboxes: see ./dev run. Try: sudo ./dev test"
    LOGS=$(mktemp -d)
    trap 'end_background; rm -rf --one-file-system "$LOGS"' EXIT
    # What is compiled from Go takes minutes the first time, and the rest of the set-up mostly waits for the network.
    in_background need_go_programs
    # To check the scripts (shellcheck) and the C code (clang-format), to build it (make, gcc, musl) and to fuzz it (clang and
    # libFuzzer's library); tests are written in Python too and look at processes by ps (procps).
    install_packages shellcheck clang-format make gcc musl-tools linux-libc-dev clang-14 libclang-rt-14-dev python3 procps
    set_up_tests
    need_lab_test_parts

    mapfile -t scripts < <(shell_scripts)
    mapfile -t sources < <(c_sources)
    beside emulated
    stage "shell scripts" shellcheck -x "${scripts[@]}"
    stage "stages" "$DEV/dev.d/test-stages"
    stage "installing Firecracker" "$DEV/dev.d/test-firecracker"
    stage "shell of the lab" python3 -B "$DEV/lab/machine_test.py"
    stage "format of the C code" clang-format --dry-run -Werror "${sources[@]}"
    stage "launcher" make --silent -C "$DEV/launcher" OUT="$LOGS/launcher" test
    stage "agent" make --silent -C "$DEV/guest/agent" OUT="$LOGS/agent" test
    stage "agent, fuzzed" make --silent -C "$DEV/guest/agent" OUT="$LOGS/fuzz" fuzz
    stage "guest image" "$DEV/guest/image/test"
    stage "guest kernel" "$DEV/guest/kernel/test"
    stage "runtimes" "$DEV/dev.d/test-runtimes"
    need_spire
    need_envoy
    stage "engine" "$MAVEN" -B -ntp -f "$DEV/engine/pom.xml" -DexcludedTags=lab,soak verify
    stage "alerts for Prometheus" "$DEV/dev.d/test-alerts"
    stage "bench harness" python3 -B "$DEV/bench/bench_test.py"
    clients
    await_beside
    # These measure: nothing runs beside them.
    stage "microbenchmarks run" "$DEV/dev" bench --jmh -foe true -f 0 -wi 0 -i 1 -r 10ms
    stage "ratios of speed" "$DEV/dev" bench --check --out "$LOGS/bench"
    report
}

# In the order in which they are waited for.
need_go_programs() {
    need_runsc
    need_spire
}

# The emulator has one processor and little of this machine's to do with, so that it leaves time to the stages beside it.
emulated() {
    # engines of both lanes run at the same time, and a state directory is for one
    export STATE_DIR=$STATE_DIR-beside
    stage "agent in a microVM" nice -n "$EMULATOR_NICE" "$DEV/dev" lab --share "$DEV/guest/agent/test" --seconds 2400 --run "$DEV/guest/agent/test/vm/run"
    stage "real Firecracker, in the lab" nice -n "$EMULATOR_NICE" "$DEV/dev.d/test-lab"
    clients
}

# For both lanes: whichever has ended its own takes the next.
clients() {
    shared_stage "API contract and Python SDK" "$DEV/dev.d/test-sdk"
    shared_stage "Java SDK" "$DEV/dev.d/test-sdk-java"
    shared_stage "playground in Chromium" "$DEV/dev.d/test-playground"
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
    # of each lane one, which its OUT names
    local name=$1 log=$LOGS/output-$OUT status try end=passed
    shift
    for ((try = 1; try <= TRIES; try++)); do
        status=0
        say_stage "$name$( ((try == 1)) || echo ", try $try")"
        "$@" </dev/null 2>&1 | tee "$log" >&"$OUT" || status=$?
        ((status != 0)) || break
        cp "$log" "$LOGS/failed: $name"
    done
    if ((status != 0)); then
        end=failed
    elif ((try > 1)); then
        end=flaky
    fi
    result "$end" "$name" "$(count "$log" "$status")"
}

# shared_stage NAME COMMAND...: a stage that more than one lane comes to; the first runs it.
shared_stage() { ! mkdir "$LOGS/taken: $1" 2>/dev/null || stage "$@"; }

say_stage() {
    say "test: $1"
    ((OUT == 1)) || echo "==> test, beside others: $1" >&"$OUT"
}

# result END NAME "PASSED FAILED SKIPPED": kept in a file, which lanes share
result() { echo "$3 $1 $2" >>"$LOGS/results"; }

# count LOG STATUS: what a stage that ended so says of itself, "PASSED FAILED SKIPPED".
count() {
    local log=$1 status=$2 line passed=0 failed=0 skipped=0
    if line=$(grep -E '^(.*\] )?Tests run: [0-9]+, Failures: [0-9]+, Errors: [0-9]+, Skipped: [0-9]+$' "$log" | tail -1) && [[ -n $line ]]; then
        local run failures errors
        read -r run failures errors skipped < <(grep -oE '[0-9]+' <<<"${line##*Tests run}" | paste -sd' ')
        failed=$((failures + errors)) passed=$((run - failures - errors - skipped))
    elif line=$(grep -E '[0-9]+ passed, [0-9]+ failed' "$log" | tail -1) && [[ -n $line ]]; then
        read -r passed failed < <(grep -oE '[0-9]+ passed, [0-9]+ failed' <<<"$line" | grep -oE '[0-9]+' | paste -sd' ')
    elif ((status == 0)); then
        passed=1
    fi
    ((status == 0 || failed > 0)) || failed=1
    echo "$passed $failed $skipped"
}

# in_background COMMAND...: in a process group of its own, so that a run that ends early ends all of it.
in_background() {
    set -m
    (
        trap - EXIT
        "$@"
    ) </dev/null &
    set +m
}

end_background() {
    local group
    for group in $(jobs -pr); do kill -- "-$group" 2>/dev/null || true; done
}

# beside FUNCTION: a lane. Its stages run beside those that follow, until await_beside shows what they said.
beside() {
    in_background lane "$1"
    BESIDE=$!
}

lane() {
    exec {OUT}>"$LOGS/beside"
    "$1"
}

await_beside() {
    local status=0
    say "waiting for the stages beside"
    wait "$BESIDE" || status=$?
    cat "$LOGS/beside"
    ((status == 0)) || result failed "stages beside, which ended with status $status" "0 1 0"
}

# Says once more what failed: of a long log often only the end is kept.
report() {
    local passed=0 failed=0 skipped=0 p f s end name told=()
    while read -r p f s end name; do
        passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
        case $end in
            passed) continue ;;
            flaky) told+=("flaky, passed when tried again: $name") ;;
            failed) told+=("failed: $name") ;;
        esac
        [[ ! -e "$LOGS/failed: $name" ]] || {
            printf '\n==> failed: %s; its last lines:\n' "$name"
            tail -n "$TOLD_LINES" "$LOGS/failed: $name" | cut -c1-300
        }
    done <"$LOGS/results"
    ((${#told[@]} == 0)) || printf '%s\n' "${told[@]}"
    printf '%d passed, %d failed%s\n' "$passed" "$failed" "$( ((skipped == 0)) || echo ", $skipped skipped")"
    # a stage that failed has at least one test that did: see count
    ((failed == 0))
}

shell_scripts() {
    find "$DEV" \( -name target -o -name .git \) -prune -o -type f \( -name '*.sh' -o -perm -u+x \) -print |
        while read -r file; do
            if head -1 "$file" | grep -qE '^#( shellcheck shell=|!.*\b(ba)?sh$)'; then echo "$file"; fi
        done
}

c_sources() { find "$DEV/guest/agent" "$DEV/launcher" -name '*.[ch]'; }
