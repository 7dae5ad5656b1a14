from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The line that ./dev test counts."""
    outcomes = {name: len(terminalreporter.stats.get(name, [])) for name in ("passed", "failed", "error")}
    failed = outcomes["failed"] + outcomes["error"]
    terminalreporter.write_line("{} passed, {} failed".format(outcomes["passed"], failed))
