from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session")
def url() -> str:
    """Of the running engine; dev.d/with-engine starts one and sets the variable."""
    return os.environ["HEXR_SANDBOX_URL"]
