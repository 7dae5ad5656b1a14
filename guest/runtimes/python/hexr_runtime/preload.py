"""Imports the modules of the plan and hides them: what is left is the state of an interpreter that has just started."""

import _warnings
import atexit
import builtins
import gc
import os
import sys

from .plan import UNITS
from .stash import Stash, Unit


def preload(fresh_modules, hidden):
    """Imports everything and returns it as a Stash. `hidden`: the package of this code, no part of the interpreter."""
    # A thread of OpenBLAS would not be there in a fresh interpreter, and a sandbox has one processor.
    os.environb[b"OPENBLAS_NUM_THREADS"] = b"1"
    gc.disable()
    importers, finders, names = list(sys.path_importer_cache), list(sys.meta_path), set(vars(builtins))
    register = atexit.register
    units = []
    try:
        for name, modules, needs in UNITS:
            unit = Unit(name, modules, [units[i] for i in needs])
            atexit.register = _recorder(unit.exit_calls)
            filters, present = list(_warnings.filters), list(sys.meta_path)
            __import__(name)
            unit.filters = _taken_from_front(_warnings.filters, filters)
            unit.finders = [finder for finder in sys.meta_path if finder not in present]
            unit.builtins = {name: value for name, value in vars(builtins).items() if name not in names}
            names.update(unit.builtins)
            unit.loggers = _new_loggers(units)
            units.append(unit)
    finally:
        atexit.register = register
    _loggers().clear()
    objects = _take_modules(fresh_modules, hidden)
    sys.meta_path[:] = finders
    for unit in units:
        for name in unit.builtins:
            delattr(builtins, name)
    _check(units, objects)
    for path in sys.path_importer_cache.keys() - importers:
        del sys.path_importer_cache[path]
    _warnings._filters_mutated()
    gc.enable()
    return Stash(units, objects)


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


def _recorder(calls):
    """Stands in for atexit.register: the order of exit handlers is that of the program's imports, not of ours."""

    def register(function, *args, **kwargs):
        calls.append((function, args, kwargs))
        return function

    return register


def _taken_from_front(now, before):
    added = now[: len(now) - len(before)]
    if now != added + before:
        raise ImportError("an import changed the warning filters in a way that cannot be undone")
    del now[: len(added)]
    return added


def _loggers():
    return sys.modules["logging"].Logger.manager.loggerDict if "logging" in sys.modules else {}


def _new_loggers(units):
    known = [logger for unit in units for logger in unit.loggers]
    return [logger for logger in _loggers().values() if hasattr(logger, "disabled") and logger not in known]


def _take_modules(fresh_modules, hidden):
    taken = {}
    for name in [name for name in sys.modules if name not in fresh_modules]:
        if name.partition(".")[0] != hidden:
            taken[name] = sys.modules.pop(name)
    # The main module by another name: not kept here, because a reference would keep it from being freed at the end.
    taken.pop("__mp_main__", None)
    return taken


def _check(units, objects):
    planned = {name for unit in units for name in unit.modules}
    if planned != objects.keys():
        raise ImportError(f"preloaded modules differ from the plan: {sorted(planned ^ objects.keys())}")
    if atexit._ncallbacks():
        raise ImportError("an import registered an exit handler past atexit.register")
