"""What a newcomer does: a fresh environment, the built wheel, the example of the README."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

SDK = Path(__file__).parents[2]
EXAMPLES = [
    pytest.param(example, id=f"{readme.parent.name}-{number}")
    for readme in (SDK / "README.md", SDK.parents[1] / "README.md")
    for number, example in enumerate(re.findall(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL))
]


def run(*command: object, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **environment},
        timeout=120,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    assert done.returncode == 0, f"{command}: {done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "--directory", out, cwd=SDK)
    return out


@pytest.fixture(scope="module")
def python(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel, installed without what the tests brought in but with the same pinned dependencies."""
    environment = tmp_path_factory.mktemp("venv")
    run(sys.executable, "-m", "venv", "--without-pip", environment, cwd=SDK)
    python = environment / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "-q"]
    run(*install, "--require-hashes", "-r", SDK / "tests/requirements.txt", cwd=SDK)
    (wheel,) = built.glob("*.whl")
    run(*install, "--no-index", wheel, cwd=SDK)
    return python


def test_the_wheel_has_the_package_and_the_sdist_what_it_is_built_from(built: Path) -> None:
    (wheel,) = built.glob("hexr-*-py3-none-any.whl")
    (sdist,) = built.glob("hexr-*.tar.gz")
    assert sdist.stat().st_size > 0
    names = zipfile.ZipFile(wheel).namelist()
    assert {"hexr/py.typed", "hexr/__init__.py", "hexr/sandbox/__init__.py"} <= set(names)
    assert not [name for name in names if not name.startswith(("hexr/", "hexr-"))]


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_of_the_readmes_runs_as_it_stands(url: str, python: Path, tmp_path: Path, example: str) -> None:
    (tmp_path / "orders.csv").write_text("amount\n3\n4\n")
    (tmp_path / "example.py").write_text(example, encoding="utf-8")

    printed = run(python, "-W", "error", "example.py", cwd=tmp_path, HEXR_SANDBOX_URL=url)

    expected = "".join(f"{line}\n" for line in re.findall(r"  # prints (.*)", example))
    assert printed == expected
    for name in re.findall(r"  # saves (\S+)", example):
        assert (tmp_path / name).stat().st_size > 0
