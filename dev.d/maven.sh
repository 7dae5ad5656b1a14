# shellcheck shell=bash
# Maven 3.9. Debian has 3.8, which is too old for the build's plugins but new enough to fetch 3.9 as an artifact.
# Why there is no wrapper: docs/adr/0001-no-maven-wrapper.md.

readonly MAVEN_VERSION=3.9.11
readonly MAVEN_SHA512=03e2d65d4483a3396980629f260e25cac0d8b6f7f2791e4dc20bc83f9514db8d0f05b0479e699a5f34679250c49c8e52e961262ded468a20de0be254d8207076

# Sets MAVEN to the command. Needs JAVA_HOME.
need_maven() {
    [[ -z ${MAVEN:-} ]] || return 0
    local installed
    # Maven's own libraries use what JDK 25 warns about, on every call
    export MAVEN_OPTS="${MAVEN_OPTS:-} --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED"
    installed=$(mvn --version 2>/dev/null | grep -oE -m1 '[0-9]+\.[0-9]+\.[0-9]+' || true)
    if [[ -n $installed && $(printf '%s\n' 3.9.0 "$installed" | sort -V | head -1) == 3.9.0 ]]; then
        MAVEN=mvn
        return
    fi
    cached "$SANDBOX_CACHE/maven/$MAVEN_VERSION" "Maven $MAVEN_VERSION" fetch_maven
    MAVEN=$SANDBOX_CACHE/maven/$MAVEN_VERSION/bin/mvn
}

fetch_maven() {
    local out=$1 archive=$1/apache-maven-$MAVEN_VERSION-bin.zip
    # Debian's maven fetches, unzip unpacks with the modes of the scripts
    install_packages maven unzip
    mvn -q -B dependency:copy "-Dartifact=org.apache.maven:apache-maven:$MAVEN_VERSION:zip:bin" \
        "-DoutputDirectory=$out" >&2 </dev/null
    sha512sum --quiet -c <<<"$MAVEN_SHA512  $archive" >&2
    unzip -q "$archive" -d "$out"
    mv "$out/apache-maven-$MAVEN_VERSION"/* "$out"
    rmdir "$out/apache-maven-$MAVEN_VERSION"
    rm "$archive"
}
