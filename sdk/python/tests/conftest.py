from __future__ import annotations

import os

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The line that ./dev test counts."""
    outcomes = {name: len(terminalreporter.stats.get(name, [])) for name in ("passed", "failed", "error")}
    failed = outcomes["failed"] + outcomes["error"]
    terminalreporter.write_line("{} passed, {} failed".format(outcomes["passed"], failed))


@pytest.fixture(scope="session")
def url() -> str:
    """Of the running engine; dev.d/with-engine starts one and sets the variable."""
    return os.environ["HEXR_SANDBOX_URL"]
