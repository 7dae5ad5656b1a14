"""What running a module does to the interpreter besides defining things, recorded while modules are preloaded.

Each effect is taken back when all are loaded, and repeated when the program imports the module that had it. Effects are
(module's name, function, arguments) in the order in which they happened.
"""

import _frozen_importlib
import _warnings
import atexit
import builtins
import sys


class Recorder:
    """`with Recorder() as recorder:` import modules; afterwards recorder.effects has what they did and nothing of it is
    left. Looks at each change from one running module to another, by standing in for the function that loads a module."""

    def __init__(self):
        self.effects = []
        self._running = [None]

    def __enter__(self):
        self._load, self._register = _frozen_importlib._load_unlocked, atexit.register
        self._filters, self._finders, self._builtins = list(_warnings.filters), list(sys.meta_path), dict(vars(builtins))
        self._seen = [self._filters, self._finders, self._builtins, {}]
        _frozen_importlib._load_unlocked = self._load_and_record
        atexit.register = self._record_exit_call
        return self

    def __exit__(self, *_):
        _frozen_importlib._load_unlocked, atexit.register = self._load, self._register
        _warnings.filters[:] = self._filters
        _warnings._filters_mutated()
        sys.meta_path[:] = self._finders
        for name in vars(builtins).keys() - self._builtins.keys():
            delattr(builtins, name)
        _loggers().clear()

    def _load_and_record(self, spec):
        self._record()
        self._running.append(spec.name)
        try:
            return self._load(spec)
        finally:
            self._record()
            self._running.pop()

    def _record(self):
        """Whatever is new was done by the module that runs."""
        filters, finders, names, loggers = self._seen
        self._seen = [list(_warnings.filters), list(sys.meta_path), dict(vars(builtins)), dict(_loggers())]
        new = [item for item in _warnings.filters if not any(item is old for old in filters)]
        if new != _warnings.filters[: len(new)]:
            raise ImportError(f"{self._running[-1]} appended a warning filter; only those at the front are known here")
        for item in reversed(new):
            self._add(_prepend_filter, item)
        for finder in sys.meta_path:
            if finder not in finders:
                self._add(sys.meta_path.append, finder)
        for name in vars(builtins).keys() - names.keys():
            self._add(vars(builtins).setdefault, name, vars(builtins)[name])
        for name, logger in _loggers().items():
            if loggers.get(name) is not logger and hasattr(logger, "disabled"):
                self._add(_enter_logger, logger)

    def _record_exit_call(self, function, *arguments, **named):
        """Stands in for atexit.register: the order of exit handlers is that of the program's imports."""
        self._add(lambda: atexit.register(function, *arguments, **named))
        return function

    def _add(self, function, *arguments):
        self.effects.append((self._running[-1], function, arguments))


def _loggers():
    # Not there before logging is loaded, and while it is.
    manager = getattr(getattr(sys.modules.get("logging"), "Logger", None), "manager", None)
    return manager.loggerDict if manager else {}


def _prepend_filter(item):
    """As warnings.filterwarnings does it: a filter that is there already moves to the front."""
    if item in _warnings.filters:
        _warnings.filters.remove(item)
    _warnings.filters.insert(0, item)
    _warnings._filters_mutated()


def _enter_logger(logger):
    """Makes getLogger() know a logger that a hidden module has; if the program has made and set up one of that name
    before, they become one in all but identity."""
    manager = logger.manager
    factory, manager.loggerClass = manager.loggerClass, lambda name: logger
    try:
        known = manager.getLogger(logger.name)
    finally:
        manager.loggerClass = factory
    if known is not logger:
        logger.__dict__ = known.__dict__
