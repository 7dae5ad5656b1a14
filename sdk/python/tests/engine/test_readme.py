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


SHELL = re.findall(r"```sh\n(.*?)```", (SDK / "README.md").read_text(encoding="utf-8"), re.DOTALL)
ORDERS = "import csv, sys\nprint(sum(int(row[sys.argv[1]]) for row in csv.DictReader(open('orders.csv'))))\n"
PLOT = "import matplotlib.pyplot as p\np.plot([1, 4, 9])\np.savefig('plot.png')\n"


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


def test_every_command_of_the_readme_runs_as_it_stands(url: str, python: Path, tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text("amount\n3\n4\n")
    (tmp_path / "orders.py").write_text(ORDERS)
    (tmp_path / "plot.py").write_text(PLOT)
    (commands,) = SHELL
    path = f"{python.parent}:{os.environ['PATH']}"

    printed = run("bash", "-euo", "pipefail", "-c", commands, cwd=tmp_path, HEXR_SANDBOX_URL=url, PATH=path)

    assert printed.startswith("7\namount\n3\n4\nexit 3\nsandbox: saved out/plot.png\n"), printed
    assert re.search(r"^ok +service +version .* runs code at " + re.escape(url), printed, re.MULTILINE), printed
    assert (tmp_path / "out/plot.png").read_bytes().startswith(b"\x89PNG")
    assert '"stdout": "7\\n"' in (tmp_path / "result.json").read_text()


def test_the_readme_lists_the_exit_codes_that_the_command_does(python: Path, tmp_path: Path) -> None:
    listed = re.findall(r"^\| (\d+) \|", (SDK / "README.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert listed == re.findall(r"^  (\d+)  ", run(python.parent / "sandbox", "--help", cwd=tmp_path), re.MULTILINE)
