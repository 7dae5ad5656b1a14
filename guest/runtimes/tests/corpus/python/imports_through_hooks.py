# The program's own finders, its own entries of sys.modules and its own __import__ see each import.
import builtins
import sys
import types

seen = []


class Listener:
    @staticmethod
    def find_spec(name, path=None, target=None):
        seen.append(name)


sys.meta_path.insert(0, Listener)
import csv

print(sorted(seen))
fake = types.ModuleType("shlex")
fake.split = lambda text: ["faked"]
sys.modules["shlex"] = fake
import shlex

print(shlex.split("a b"))
sys.meta_path.remove(Listener)

fake = types.ModuleType("textwrap")
fake.dedent = lambda text: "faked"
sys.modules["textwrap"] = fake
import argparse

print(argparse._sys is sys, sys.modules["textwrap"] is fake)

original = builtins.__import__


def spying(name, *rest):
    if name in ("statistics", "fractions"):
        print("import", name)
    return original(name, *rest)


builtins.__import__ = spying
import statistics

print(statistics.mean([1, 2]))
