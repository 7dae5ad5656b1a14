# shellcheck shell=bash
# ./dev fmt: the formatters whose result ./dev test checks.

dev_fmt() {
    install_packages clang-format
    need_jdk
    need_maven
    c_sources | xargs clang-format -i
    "$MAVEN" -q -B -f "$DEV/engine/pom.xml" spotless:apply </dev/null
}
