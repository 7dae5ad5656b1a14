from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_service import FakeService, Reply
from test_client import health

from hexr.cli import main
from hexr.cli._host import Level, cgroups, image, kvm, memory, program, system

V1 = [
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid - tmpfs tmpfs rw,mode=755",
    "31 30 0:27 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory",
    "32 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct",
    "33 30 0:29 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids",
    "34 30 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate",
]
V2 = ["30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw"]


def doctor(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["doctor", "--json", *arguments])
    return code, {finding["subject"]: finding for finding in json.loads(capsys.readouterr().out)}


def replying(service: FakeService, code: int, body: bytes) -> None:
    service.replies = [Reply(code, body, {"Content-Type": "application/json"})]


def test_a_service_that_runs_code_is_no_problem(service: FakeService, capsys: pytest.CaptureFixture[str]) -> None:
    replying(service, 200, health("ok"))

    _, found = doctor(capsys, "--url", service.url)

    assert found["service"] == {
        "subject": "service",
        "level": "ok",
        "text": f"version 1.2.3 runs code at {service.url}",
        "advice": "",
    }
    assert found["isolation"]["level"] == "note"  # gVisor, as this answer says
    assert found["isolation"]["advice"] == "Hardware isolation needs KVM: no KVM"
    assert found["languages"]["text"] == "python 3.11.2"
    assert found["load"]["text"] == "1 of 4 calls run, 0 of 256 wait"
    assert {"system", "memory"} <= found.keys()  # the service is on this machine


def test_a_service_that_does_not_run_code_is_a_problem_with_its_reason(
    service: FakeService, capsys: pytest.CaptureFixture[str]
) -> None:
    replying(service, 503, health("draining"))

    code, found = doctor(capsys, "--url", service.url)

    assert code == 1
    assert (found["service"]["level"], found["service"]["text"]) == ("problem", "it is draining: because")


def test_a_service_elsewhere_says_nothing_about_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = doctor(capsys, "--url", "http://sandbox.invalid")

    assert code == 1
    assert found.keys() == {"service"}
    assert "no connection" in found["service"]["text"]


def test_findings_are_printed_with_advice_below(service: FakeService, capsys: pytest.CaptureFixture[str]) -> None:
    replying(service, 503, health("starting"))

    assert main(["doctor", "--url", service.url]) == 1

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["PROBLEM", "service", "it", "is", "starting:", "because"]
    assert lines[1].startswith(" " * 10)
    assert lines[1].strip() == "Its log says more."


def test_cgroups_of_version_1_are_found_beside_an_empty_version_2(tmp_path: Path) -> None:
    listed = tmp_path / "sys/fs/cgroup/unified"
    listed.mkdir(parents=True)
    (listed / "cgroup.controllers").write_text("")

    assert cgroups(V1, tmp_path).text == "version 1 with cpu, memory, pids"


def test_cgroups_of_version_2_are_found(tmp_path: Path) -> None:
    listed = tmp_path / "sys/fs/cgroup"
    listed.mkdir(parents=True)
    (listed / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")

    assert cgroups(V2, tmp_path).text == "version 2 with cpu, memory, pids"


@pytest.mark.parametrize(
    ("mounts", "missing"), [(V1[:2], "no cpu, pids"), (V2, "no cpu, memory, pids"), ([], "no cpu, memory, pids")]
)
def test_controllers_that_are_missing_are_a_problem(tmp_path: Path, mounts: list[str], missing: str) -> None:
    finding = cgroups(mounts, tmp_path)

    assert (finding.level, finding.text) == (Level.PROBLEM, missing)


@pytest.mark.skipif(sys.platform != "linux", reason="there is KVM on Linux only")
def test_a_kvm_that_is_none_is_noted(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert "there is no" in kvm(tmp_path / "kvm").text
    assert "is no KVM" in kvm(tmp_path / "file").text
    assert kvm(tmp_path / "file").level is Level.NOTE


def test_a_program_shows_its_version(tmp_path: Path) -> None:
    runsc = tmp_path / "runsc"
    runsc.write_text("#!/bin/sh\necho runsc version 1\necho more\n")
    runsc.chmod(0o755)

    assert program("runsc", {"RUNSC_BIN": str(runsc)}, "RUNSC_BIN", "/nonexistent", "").text == f"{runsc}: runsc version 1"


def test_a_program_that_does_not_run_is_a_problem_and_one_that_is_absent_a_note(tmp_path: Path) -> None:
    broken = tmp_path / "runsc"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)

    assert program("runsc", {"RUNSC_BIN": str(broken)}, "RUNSC_BIN", "/nonexistent", "").level is Level.PROBLEM
    assert program("no-such-program", {}, "RUNSC_BIN", "/nonexistent", "").level is Level.NOTE


def test_an_image_is_whole_or_what_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "root.erofs").write_bytes(b"x" * (3 << 20))
    assert image(tmp_path).text == f"{tmp_path} has no manifest.json"

    (tmp_path / "manifest.json").write_text("{}")
    assert image(tmp_path).text == f"{tmp_path}, 3 MiB"


def test_little_memory_is_noted() -> None:
    assert memory("MemTotal: 9 kB\nMemAvailable: 8388608 kB\n").level is Level.OK
    assert memory("MemAvailable: 524288 kB\n").level is Level.NOTE


def test_an_engine_needs_linux_on_x86() -> None:
    assert system("Linux", "x86_64").level is Level.OK
    assert system("Darwin", "arm64").level is Level.PROBLEM
