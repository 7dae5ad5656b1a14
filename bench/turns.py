"""Two engines that run, called in turns: what a change is worth on a machine whose own speed moves by more than that.

    python3 bench/turns.py OLD_URL NEW_URL [--rounds 30]

Each round calls every program once on each engine, which of them first by chance, when both have all their sandboxes waiting. A pair of
calls lies within a second, so what disturbs the machine disturbs both: read how many pairs the new one won, then the difference. Two
engines of the same tree show what is chance: with five rounds one of them won nearly all. Swap the two and see whether it stays.
"""

import argparse
import random
import statistics
import time

from engine import EngineError, await_full_pool
from load import Client
from measure import own_share
from programs import PROGRAMS

# The first rounds are the JVM's and the disk's.
UNCOUNTED = 10
# A sandbox that has just been resumed still touches its memory.
QUIET_SECONDS = 0.1
FIGURES = {
    "ms": lambda sample: sample.ms,
    "run": lambda sample: sample.phases["run"],
    "own share": own_share,
}


def call(clients, which, program):
    for client in clients:
        await_full_pool(client)
    time.sleep(QUIET_SECONDS)
    sample = clients[which].call(program)
    if sample.problem:
        raise EngineError(f"{program.name}: {sample.problem}")
    return sample


def pair(clients, program):
    """A sample of each, in the order of the clients."""
    order = random.sample((0, 1), 2)
    samples = {which: call(clients, which, program) for which in order}
    return samples[0], samples[1]


def compare(pairs, figure):
    """Medians of old and new, the median of their differences, and the pairs that the new one won."""
    values = [(figure(old), figure(new)) for old, new in pairs]
    return (
        statistics.median(old for old, _ in values),
        statistics.median(new for _, new in values),
        statistics.median(new - old for old, new in values),
        sum(new < old for old, new in values),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=30)
    arguments = parser.parse_args()
    with Client(arguments.old) as old, Client(arguments.new) as new:
        pairs = {program: [] for program in PROGRAMS}
        for done in range(arguments.rounds + UNCOUNTED):
            for program in PROGRAMS:
                sample = pair((old, new), program)
                if done >= UNCOUNTED:
                    pairs[program].append(sample)
    for program, samples in pairs.items():
        for name, figure in FIGURES.items():
            before, after, difference, won = compare(samples, figure)
            print(
                f"{program.name:14} {name:10} old {before:7.2f}  new {after:7.2f}  difference {difference:+6.2f}"
                f"  new faster in {won} of {len(samples)}"
            )


if __name__ == "__main__":
    main()
