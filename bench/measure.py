"""What is measured. Each function gives figures by name, such as `bash-echo.engine_p50_ms`, and the samples that failed.

Engine and baselines take turns, so that what disturbs the machine disturbs both and their ratio holds.
"""

import os
import statistics
import time
from dataclasses import dataclass

from engine import await_full_pool
from load import Client, burst, closed_loop
from programs import BY_NAME, KERNELS, PROGRAMS


@dataclass(frozen=True)
class Plan:
    """How much of everything. Times in seconds."""

    starts: int
    program_seconds: float
    turns: int  # at least
    engine_calls_a_turn: int
    kernel_turns: int
    loops: tuple  # of (clients, seconds)
    burst: int
    resumes: int
    variants: str | None = None


FULL = Plan(3, 35, 5, 9, 5, ((1, 12), (4, 12), (16, 12), (32, 60)), 100, 12)
# One template of Python, for they take long to make where there are none. Enough of everything that one time at which the machine stands
# still moves no median, nor half of a throughput.
QUICK = Plan(1, 4, 5, 3, 3, ((1, 2), (4, 2), (16, 2), (32, 8)), 20, 3, "1")
# What an emulated machine, 25 times slower, does in minutes.
SMALL = Plan(0, 5, 2, 1, 0, ((1, 10), (2, 10)), 3, 0)

MIXED = (BY_NAME["python-print"], BY_NAME["node-log"], BY_NAME["bash-echo"], BY_NAME["python-pandas"])


def percentile(values, share):
    """Nearest rank: a value that was measured."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def own_share(sample):
    """What the engine itself took of a call: all but waiting for the body and for a place, the guest's work and the program."""
    return sample.phases["total"] - sum(sample.phases[name] for name in ("read", "queue", "layout", "run"))


def turn(baselines, engine_calls):
    """Who runs in one turn: every baseline once, and the engine's calls spread between them."""
    if not baselines:
        return ["engine"] * engine_calls
    share = ["engine"] * max(1, engine_calls // len(baselines))
    return [each for name in baselines for each in (name, *share)]


class Measurement:
    """Figures and failures as they come in."""

    def __init__(self, say):
        self.figures = {}
        self.failures = []
        self._say = say

    def good(self, name, samples):
        """Those that were answered right; the others are remembered."""
        good = [sample for sample in samples if sample.problem is None]
        self.failures += [f"{name}: {sample.problem}" for sample in samples if sample.problem]
        self.figures[f"{name}_failures"] = self.figures.get(f"{name}_failures", 0) + len(samples) - len(good)
        return good

    def spread(self, name, values, percentiles=(50, 90, 99)):
        for each in percentiles if values else ():
            self.figures[f"{name}_p{each}_ms"] = percentile(values, each / 100)

    def side_by_side(self, url, baselines, plan):
        """Sequential calls, each to a full pool, between runs of the baselines."""
        own = []
        with Client(url) as client:
            for program in PROGRAMS:
                self._say(f"one after another: {program.name}")
                own += self._turns(client, program, baselines, plan)
        self.spread("engine.own_share", own, (50, 99))

    def _turns(self, client, program, baselines, plan):
        runners = baselines.runners if baselines else {}
        order = turn(runners, plan.engine_calls_a_turn)
        sides = {name: [] for name in order}

        def take_turn():
            for name in order:
                await_full_pool(client)
                sides[name].append(client.call(program) if name == "engine" else runners[name](program))

        take_turn()
        for name, samples in sides.items():  # it filled caches and compiled the engine's code: only failures of it count
            self.good(f"{program.name}.{name}", samples)
            samples.clear()
        deadline, turns = time.monotonic() + plan.program_seconds, 0
        while turns < plan.turns or time.monotonic() < deadline:
            take_turn()
            turns += 1
        good = {name: self.good(f"{program.name}.{name}", samples) for name, samples in sides.items()}
        for name, samples in good.items():
            self.spread(f"{program.name}.{name}", [sample.ms for sample in samples])
            self.figures[f"{program.name}.{name}_samples"] = len(samples)
        waited = [sample for sample in good["engine"] if sample.waited]
        if good["engine"]:
            self.figures[f"{program.name}.engine_waited_share"] = len(waited) / len(good["engine"])
        for phase in ("layout", "run", "destroy"):
            self.spread(f"{program.name}.{phase}", [sample.phases[phase] for sample in good["engine"]], (50,))
        for name in runners:
            self.ratio(f"{program.name}.engine_to_{name}", f"{program.name}.engine_p50_ms", f"{program.name}.{name}_p50_ms")
        return [own_share(sample) for sample in waited]

    def ratio(self, name, above, below):
        if above in self.figures and self.figures.get(below):
            self.figures[name] = self.figures[above] / self.figures[below]

    def kernels(self, url, baselines, plan):
        """Seconds that the kernels take inside and outside, in turns."""
        with Client(url) as client:
            for kernel in KERNELS:
                self._say(f"compute: {kernel.name}")
                inside, outside = [], []
                for _ in range(plan.kernel_turns):
                    await_full_pool(client)
                    inside.append(client.call(kernel))
                    outside.append(baselines.runners["native"](kernel))
                for side, samples in (("engine", inside), ("native", outside)):
                    good = self.good(f"{kernel.name}.{side}", samples)
                    self.spread(f"{kernel.name}.{side}", [float(sample.stdout) * 1e3 for sample in good], (50,))
                self.ratio(f"{kernel.name}.compute_to_native", f"{kernel.name}.engine_p50_ms", f"{kernel.name}.native_p50_ms")

    def loops(self, url, plan):
        """Mixed load of callers that call again at once."""
        best_lower = 0
        for clients, seconds in plan.loops:
            self._say(f"closed loop: {clients} clients for {seconds} s")
            name = f"clients-{clients}"
            samples, took = closed_loop(url, MIXED, clients, seconds)
            good = self.good(f"{name}.call", samples)
            throughput = len(good) / took
            self.figures[f"{name}.calls_per_second"] = throughput
            self.figures[f"{name}.success_rate"] = len(good) / len(samples)
            self.spread(f"{name}.latency", [sample.ms for sample in good])
            self.phases(name, good)
            if best_lower:
                self.figures[f"{name}.throughput_to_best_lower"] = throughput / best_lower
            best_lower = max(best_lower, throughput)

    def phases(self, name, samples):
        self.spread(f"{name}.queue", [sample.phases["queue"] for sample in samples])
        missed = [sample for sample in samples if not sample.waited]
        for phase in ("resume", "handshake"):
            self.spread(f"{name}.{phase}", [sample.phases[phase] for sample in missed], (50,))
        if samples:
            self.figures[f"{name}.waited_share"] = 1 - len(missed) / len(samples)

    def burst(self, url, plan):
        self._say(f"burst of {plan.burst}")
        with Client(url) as client:
            await_full_pool(client)
        good = self.good("burst.call", burst(url, BY_NAME["python-print"], plan.burst))
        self.spread("burst.latency", [sample.ms for sample in good])
        self.phases("burst", good)

    def resumes(self, url, plan):
        """On an engine without a pool: every call resumes a sandbox."""
        with Client(url) as client:
            for program in (BY_NAME["python-print"], BY_NAME["node-log"], BY_NAME["bash-echo"]):
                self._say(f"resume: {program.language}")
                good = self.good(f"resume.{program.language}", [client.call(program) for _ in range(plan.resumes)])
                for phase in ("resume", "handshake"):
                    self.spread(f"resume.{program.language}_{phase}", [sample.phases[phase] for sample in good], (50,))
                ready = [sample.phases["resume"] + sample.phases["handshake"] for sample in good]
                self.spread(f"resume.{program.language}_ready", ready)
        share = plan.burst * self.figures.get("resume.python_ready_p50_ms", 0) / os.cpu_count()
        if share and "burst.latency_p50_ms" in self.figures:
            self.figures["burst.p50_to_resumes"] = self.figures["burst.latency_p50_ms"] / share

    def memory(self, engine):
        with Client(engine.url) as client:
            await_full_pool(client)
        self.figures["engine.resident_mb"] = engine.resident_mb()
        for language, charges in engine.ready_memory_mb().items():
            self.figures[f"memory.{language}_mb"] = statistics.median(charges)
