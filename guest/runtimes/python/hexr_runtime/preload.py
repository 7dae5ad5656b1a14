"""Imports the modules of the plan and hides them: what is left is the state of an interpreter that has just started."""

import _contextvars
import atexit
import gc
import os
import sys

from .effects import Recorder
from .forks import copy_by_page
from .plan import NAMES, UNITS
from .process import Process
from .stash import Stash, Unit


def preload(fresh_modules, hidden):
    """Imports everything and returns it as a Stash, and this Process. `hidden`: the package of this code, no part of the
    interpreter."""
    # A thread of OpenBLAS would not be there in a fresh interpreter, and a sandbox has one processor.
    os.environb[b"OPENBLAS_NUM_THREADS"] = b"1"
    gc.disable()
    importers = list(sys.path_importer_cache)
    with Recorder() as recorder:
        # In a context of its own: what the modules set in it is not the program's.
        process = _contextvars.Context().run(_import_all)
    process.know_libraries()
    copy_by_page()
    objects = _take_modules(fresh_modules, hidden)
    _check(objects)
    for path in sys.path_importer_cache.keys() - importers:
        del sys.path_importer_cache[path]
    gc.enable()
    units = []
    for name, modules, needs in UNITS:
        units.append(Unit(name, modules, [units[i] for i in needs]))
    return Stash(units, objects, recorder.effects), process


def _import_all():
    process = Process()
    for name in NAMES:
        __import__(name)
    return process


def settle():
    """Last thing before the snapshot: what lives now is never looked at by the collector again, which halves the time that
    an interpreter takes to end.

    All but __main__: what is in there must be freed at the end, files flushed and the like, also when its dictionary is part
    of a cycle, as it is with the first function in it. So the program gets a __main__ that was made after the freeze.
    """
    gc.collect()
    gc.freeze()
    frozen = sys.modules["__main__"]
    main = sys.modules["__main__"] = type(frozen)("__main__")
    main.__dict__.update(frozen.__dict__)


def _take_modules(fresh_modules, hidden):
    taken = {}
    for name in [name for name in sys.modules if name not in fresh_modules]:
        if name.partition(".")[0] != hidden:
            taken[name] = sys.modules.pop(name)
    # The main module by another name: not kept here, because a reference would keep it from being freed at the end.
    taken.pop("__mp_main__", None)
    return taken


def _check(objects):
    planned = {name for _, modules, _ in UNITS for name in modules}
    if planned != objects.keys():
        raise ImportError(f"preloaded modules differ from the plan: {sorted(planned ^ objects.keys())}")
    if atexit._ncallbacks():
        raise ImportError("an import registered an exit handler past atexit.register")
