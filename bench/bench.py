"""./dev bench: latency and load of an engine, side by side with bare interpreters, bubblewrap and cold gVisor."""

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path

import report
from baselines import Baselines
from engine import Engine, EngineError
from load import Client
from measure import FULL, QUICK, SMALL, Measurement

STARTED = time.monotonic()
BENCH = Path(__file__).resolve().parent
BOUNDS = BENCH / "bounds.json"


def say(text):
    print(f"==> [{time.monotonic() - STARTED:3.0f}s] {text}", file=sys.stderr, flush=True)


def own_engine(options, plan, measurement, log):
    """Everything, on engines that are started here."""
    baselines = Baselines(options.root, os.environ["RUNSC_BIN"])
    variables = {"PYTHON_VARIANTS": plan.variants} if plan.variants else {}
    say(f"starting the engine; its log: {log}")
    with Engine(options.command, log, **variables):
        pass  # makes the templates that are missing
    starts = []
    for _ in range(plan.starts - 1):
        with Engine(options.command, log, **variables) as engine:
            starts.append(engine.start_ms)
    with Engine(options.command, log, **variables) as engine:
        about = health(engine.url)
        starts.append(engine.start_ms)
        measurement.spread("engine.start", starts, (50,))
        measurement.memory(engine)
        measurement.side_by_side(engine.url, baselines, plan)
        measurement.kernels(engine.url, baselines, plan)
        measurement.burst(engine.url, plan)
        measurement.loops(engine.url, plan)
    with Engine(options.command, log, READY_POOL_MEMORY_MB="0", **variables) as engine:
        measurement.resumes(engine.url, plan)
    return about


def running_engine(url, plan, measurement):
    """What can be seen from outside."""
    about = health(url)
    measurement.side_by_side(url, None, plan)
    measurement.burst(url, plan)
    measurement.loops(url, plan)
    return about


def health(url):
    with Client(url) as client:
        about = client.health()
    if about["status"] != "ok":
        raise EngineError(f"{url} does not serve yet: {about['status']}, {about.get('reason')}")
    return {name: about[name] for name in ("version", "backend", "isolation")}


def parse(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a minute instead of six; for p99 too few samples")
    parser.add_argument("--check", action="store_true", help="--quick, and fail if a ratio is beyond bench/bounds.json")
    parser.add_argument("--url", help="an engine that runs already, on loopback: no baselines, memory, start and resume")
    parser.add_argument("--emulation", action="store_true", help="with --url: it is in ./dev lab; few calls, figures marked")
    parser.add_argument(
        "--out", metavar="DIRECTORY", default=BENCH / "build", help="for bench.json and bench.svg (bench/build)"
    )
    parser.add_argument("--root", help=argparse.SUPPRESS)  # these two are given by dev.d/bench.sh
    parser.add_argument("--command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.emulation and not options.url:
        parser.error("--emulation goes with --url: ./dev lab serves the engine")
    if options.check and options.url:
        parser.error("--check compares with baselines, which --url has none of")
    return options


def main(arguments):
    options = parse(arguments)
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    log = out / "engine.log"
    log.unlink(missing_ok=True)
    plan = SMALL if options.emulation else QUICK if options.quick or options.check else FULL
    measurement = Measurement(say)
    if options.url:
        about = running_engine(options.url, plan, measurement)
    else:
        about = own_engine(options, plan, measurement, log)
    result = report.result(about, measurement, plan, options.emulation)
    (out / "bench.json").write_text(json.dumps(result, indent=2) + "\n")
    report.draw(result, out / "bench.svg")
    expected = json.loads(BOUNDS.read_text())
    print(report.table(result, expected["bars"]))
    say(f"written: {out}/bench.json, {out}/bench.svg")
    if not options.check:
        return 1 if result["failures"] else 0
    passed, lines = report.check(result, expected["bounds"])
    print("\n".join([*lines, f"{passed} passed, {len(lines)} failed"]))
    return 1 if lines else 0


if __name__ == "__main__":
    # Both end it with the engine stopped. Set, not left: a shell has a background job ignore SIGINT, and what is ignored here is
    # ignored by the engine, too, which then had to be killed.
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    try:
        sys.exit(main(sys.argv[1:]))
    except (EngineError, OSError, ValueError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
