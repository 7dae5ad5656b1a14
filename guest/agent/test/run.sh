#!/bin/bash
# Runs each test program and adds up what their last lines say: "N passed, N failed".
set -uo pipefail

passed=0 failed=0
for test in "$@"; do
    echo "$test:"
    last=$("$test" 2>&1 | tee /dev/stderr | tail -n 1)
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    else
        echo "$test ended without a count"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
((failed == 0))
