# shellcheck shell=bash
# ./dev fmt: the formatters whose result ./dev test checks.

dev_fmt() {
    install_packages clang-format
    need_jdk
    need_maven
    c_sources | xargs clang-format -i
    "$MAVEN" -q -B -f "$DEV/engine/pom.xml" spotless:apply </dev/null
    need_sdk_tools
    (cd "$DEV/sdk/python" && "$SDK_TOOLS/bin/python" -m ruff format --quiet)
}
