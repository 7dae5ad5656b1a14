from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hexr.sandbox import Client, SandboxError
from hexr.sandbox._settings import Settings

from ._host import Finding, Level, host_findings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

MARKS = {Level.OK: "ok", Level.NOTE: "note", Level.PROBLEM: "PROBLEM"}


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "doctor",
        help="look whether code can be run",
        description="Asks the service how it is and, when it is on this machine, looks at what an engine needs here. "
        "Changes nothing. Exits with 0 when there is no problem, else with 1.",
        allow_abbrev=False,
    )
    parser.add_argument("--url", help="of the service; by default HEXR_SANDBOX_URL")
    parser.add_argument("--host", action="store_true", help="look at this machine also when the service is elsewhere")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    settings = Settings.resolve(url=options.url)
    findings = list(_service(settings))
    if options.host or urlsplit(settings.url).hostname in ("127.0.0.1", "::1", "localhost"):
        findings += host_findings()
    if options.json:
        print(
            json.dumps([{"subject": f.subject, "level": f.level.value, "text": f.text, "advice": f.advice} for f in findings])
        )
    else:
        _show(findings)
    return 1 if any(finding.level is Level.PROBLEM for finding in findings) else 0


def _show(findings: list[Finding]) -> None:
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        print(f"{MARKS[finding.level]:<8}{finding.subject:<{width}}  {finding.text}")
        if finding.advice:
            print(f"{'':<{width + 10}}{finding.advice}")


def _service(settings: Settings) -> Iterator[Finding]:
    try:
        with Client(settings.url) as client:
            health = client.health()
    except SandboxError as e:
        yield Finding("service", Level.PROBLEM, str(e), "Start one by ./dev run, or set HEXR_SANDBOX_URL to where it is.")
        return
    if health.ok:
        yield Finding("service", Level.OK, f"version {health.version} runs code at {settings.url}")
    else:
        yield Finding("service", Level.PROBLEM, f"it is {health.status}: {health.reason}", "Its log says more.")
    if health.isolation == "hardware":
        yield Finding("isolation", Level.OK, f"hardware, by {health.backend} {health.backend_version}")
    else:
        yield Finding(
            "isolation",
            Level.NOTE,
            f"{health.isolation}, by {health.backend} {health.backend_version}",
            f"Hardware isolation needs KVM: {health.backend_reason}"
            if health.backend_reason
            else "Hardware isolation needs KVM.",
        )
    languages = ", ".join(f"{language.language} {language.version}" for language in health.languages)
    yield Finding("languages", Level.OK if languages else Level.PROBLEM, languages or "none")
    load = health.load
    full = load.waiting >= load.queue_length > 0
    yield Finding(
        "load",
        Level.PROBLEM if full else Level.OK,
        f"{load.running} of {load.capacity} calls run, {load.waiting} of {load.queue_length} wait",
        "New calls are refused until some have ended." if full else "",
    )
