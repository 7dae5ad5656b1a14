# shellcheck shell=bash
# ./dev fmt: the formatters whose result ./dev test checks.

dev_fmt() {
    local project
    install_packages clang-format
    need_jdk
    need_maven
    c_sources | xargs clang-format -i
    for project in engine sdk/java sdk/java/downstream; do
        "$MAVEN" -q -B -f "$DEV/$project/pom.xml" spotless:apply </dev/null
    done
    need_sdk_tools
    (cd "$DEV/sdk/python" && "$SDK_TOOLS/bin/python" -m ruff format --quiet)
}
