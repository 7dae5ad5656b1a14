# case: {"files": {"other.py": "def function(): pass\n"}}
# What is freed, and so closed and flushed, when the interpreter ends.
import contextvars
import functools
import json
import logging
import sys
import threading

import other


class Noisy:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("freed", self.name)


def function(default=Noisy("default argument")):
    return default


class Holder:
    attribute = Noisy("class attribute")


@functools.lru_cache
def cached(key):
    return Noisy("cached")


in_main = Noisy("global")
cycle = [Noisy("cycle")]
cycle.append(cycle)
other.attribute = Noisy("attribute of own module")
json.attribute = Noisy("attribute of a library")
json.JSONDecoder.attribute = Noisy("attribute of a library's class")
logging.getLogger("x").attribute = Noisy("attribute of a logger")
sys.attribute = Noisy("attribute of sys")
threading.current_thread().attribute = Noisy("attribute of the main thread")
variable = contextvars.ContextVar("variable")
variable.set(Noisy("context variable"))
cached(1)
file = open("written", "w")
file.write("flushed at the end")


class Reader:
    def __del__(self, open=open):
        print("written:", open("/workspace/written").read())


sys.modules["builtins"].reader = Reader()
