# shellcheck shell=bash
# The SDKs, and the virtual environments in which the Python SDK is built and tested, each made of a file of pinned hashes.

# Sets SDK_TOOLS: a virtual environment with everything that checks SDK and contract, on the machine's own Python.
need_sdk_tools() { need_venv SDK_TOOLS python3 "$DEV/sdk/python/tests/requirements-tools.txt"; }

# need_venv VARIABLE PYTHON FILE: sets VARIABLE to an environment with what FILE names.
need_venv() {
    local -n made=$1
    local python=$2 file=$3 name=${3##*/} key
    # what is compiled for one minor version of Python is of no use to another
    key=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')-$(content_key "${file%/*}" "$name")
    made=$SANDBOX_CACHE/venv/$key
    cached "$made" "Python packages: ${file#"$DEV/"} for $python" make_venv "$python" "$file"
    keep_newest 8 "$made"
}

# An environment finds its interpreter and libraries from where it lies, but the first lines of its programs name the
# directory it was made in, which is renamed: call them by `bin/python -m NAME`.
make_venv() {
    local python=$1 requirements=$2 out=$3
    install_packages python3-venv
    "$python" -m venv "$out"
    "$out/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$requirements" >&2
}

# Sets and exports MCP_CONFORMANCE: a directory with the official conformance tool of MCP and the Node.js that it needs, newer than Debian's.
need_mcp_conformance() {
    local locked=$DEV/sdk/python/tests/engine/mcp-conformance
    MCP_CONFORMANCE=$SANDBOX_CACHE/mcp-conformance/$(content_key "$locked" package.json package-lock.json)
    cached "$MCP_CONFORMANCE" "conformance tool of MCP" fetch_mcp_conformance "$locked"
    keep_newest 2 "$MCP_CONFORMANCE"
    export MCP_CONFORMANCE
}

# What the lock file names, by the hashes there; none of it is run.
fetch_mcp_conformance() {
    local locked=$1 out=$2
    command -v npm >/dev/null || install_packages npm
    cp "$locked"/package{,-lock}.json "$out/"
    npm --prefix "$out" ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2 </dev/null
}

# ./dev sdk: wheel and sdist of the Python SDK; the Java SDK, in Maven's local repository as well.
dev_sdk() {
    need_sdk_tools
    build_sdk "$DEV/sdk/python/dist"
    need_jdk
    need_maven
    "$MAVEN" -q -B -f "$DEV/sdk/java/pom.xml" -Dmaven.test.skip=true install </dev/null
    ls "$DEV"/sdk/python/dist/* "$DEV"/sdk/java/target/*.jar
}

# build_sdk DIRECTORY
build_sdk() {
    (cd "$DEV/sdk/python" && "$SDK_TOOLS/bin/python" -m hatchling build --directory "$1" >&2)
}
