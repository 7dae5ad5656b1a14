# shellcheck shell=bash
# ./dev audit: what the engine's own command `audit` does, such as `./dev audit verify FILE`. Needs no root and no image.
dev_audit() {
    need_jdk
    need_engine
    exec "$JAVA_HOME/bin/java" -jar "$ENGINE_JAR" audit "$@"
}
