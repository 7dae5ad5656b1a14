"""The preloaded modules, out of sight, and how the import system comes to find them.

Importing a module does more than to run it: it enters into sys.modules what the module imports, binds submodules to
their packages, has effects on the interpreter (effects.py). A Unit is what one import brings. The units, and which needs
which, are measured when the image is built (plan_preload.py). Handing over a unit repeats all this, in the same order,
without running anything.

The lookup stays the import system's own: a module comes from here only when the ordinary search (sys.meta_path, sys.path,
with what the program did to them) has found the very file that the hidden module was made from.
"""

import _frozen_importlib
import _frozen_importlib_external
import os
import sys


class Unit:
    """What importing `name` brings beyond the units that it needs (all of them, not only the direct ones)."""

    __slots__ = ("name", "modules", "needs", "handed_over")

    def __init__(self, name, modules, needs):
        self.name = name
        self.modules = modules
        self.needs = needs
        self.handed_over = False


class Stash:
    """Hidden at first; after install() the import system knows it. Each unit is handed over once: what the program
    deletes from sys.modules and imports again is loaded from its file, as ever."""

    def __init__(self, units, objects, effects):
        self._units = {unit.name: unit for unit in units}
        self._objects = objects
        self._effects = effects
        self._path = list(sys.path)
        self._finders = list(sys.meta_path)
        self._children = self._unbind_children()
        self._find_spec = _frozen_importlib._find_spec
        # A cycle that the collector never looks at (preload.settle): what the program did not import takes no time to free.
        self._self = self

    def _unbind_children(self):
        """Removes submodules from the names of their packages. Returns (package, name) of each, by full name."""
        children = {}
        for name, module in self._objects.items():
            parent_name, _, child = name.rpartition(".")
            parent = self._objects.get(parent_name) or sys.modules.get(parent_name)
            if parent is not None and parent.__dict__.get(child) is module:
                delattr(parent, child)
                children[name] = (parent, child)
        return children

    def install(self):
        _frozen_importlib._find_spec = self._find

    def _find(self, name, path, target=None):
        """Takes the place of importlib._bootstrap._find_spec, which only `import` calls: importlib.util.find_spec and
        importlib.reload hold the original. No frame of this package is on the stack while a module runs."""
        spec = self._find_spec(name, path, target)
        unit = self._units.get(name)
        if spec is None or unit is None or unit.handed_over:
            return spec
        own = getattr(self._objects[name], "__spec__", None)
        if own is None or own.origin != spec.origin or self._is_shadowed(unit):
            return spec
        return _frozen_importlib.ModuleSpec(name, _HandOver(self, unit, own), origin=spec.origin)

    def is_shadowed_by(self, directory):
        """Would a file in `directory` be imported instead of a hidden module?"""
        return _provides(directory, self._top_names(self._objects))

    def _is_shadowed(self, unit):
        """Would a fresh import of the unit use, anywhere inside, something else than the hidden modules?"""
        if any("numpy" in needed.modules for needed in (*unit.needs, unit)):
            # The C code of numpy cannot be initialised a second time in a process. But what imports a blocked module
            # (None in sys.modules) fails before it comes to that.
            return any(sys.modules.get(name, self) is None for needed in (*unit.needs, unit) for name in needed.modules)
        for needed in (*unit.needs, unit):
            for name in needed.modules:
                current = sys.modules.get(name, self)
                if current is not self._objects[name] and (current is not self or needed.handed_over):
                    return True
        if sys.meta_path[: len(self._finders)] != self._finders:
            return True
        names = self._top_names(name for needed in (*unit.needs, unit) for name in needed.modules)
        return any(_provides(entry, names) for entry in sys.path if entry not in self._path)

    @staticmethod
    def _top_names(names):
        tops = {name.partition(".")[0] for name in names}
        return {top for top in tops if top not in sys.modules and top not in sys.builtin_module_names}

    def hand_over(self, unit):
        names = []
        for needed in (*unit.needs, unit):
            if not needed.handed_over:
                needed.handed_over = True
                names += needed.modules
        for name in names:
            module = sys.modules.setdefault(name, self._objects[name])
            if name in self._children:
                setattr(*self._children[name], module)
        for name, function, arguments in self._effects:
            if name in names:
                function(*arguments)
        for name in names:
            if name in _RENEWED:
                _RENEWED[name](sys.modules[name])


class _HandOver:
    """The loader of one import: gives out the hidden module instead of a new one."""

    def __init__(self, stash, unit, spec):
        self._stash = stash
        self._unit = unit
        self._spec = spec

    def create_module(self, spec):
        return self._stash._objects[spec.name]

    def exec_module(self, module):
        module.__spec__ = self._spec
        self._stash.hand_over(self._unit)


def _provides(entry, names):
    """Does the entry of a search path hold a module or package of one of these names?"""
    try:
        names = names & {file.partition(".")[0] for file in os.listdir(entry or os.curdir)}
    except OSError:
        pass  # an archive, or nothing at all
    finder = _frozen_importlib_external.PathFinder._path_hooks(entry or os.getcwd()) if names else None
    if finder is None:
        return False
    specs = (finder.find_spec(name) for name in names)
    return any(spec is not None and spec.loader is not None for spec in specs)


def _name_main(_):
    """As multiprocessing does it when it is loaded."""
    sys.modules["__mp_main__"] = sys.modules["__main__"]


def _renew_process(module):
    module.current_process().authkey = os.urandom(32)
    module.ORIGINAL_DIR = os.getcwd()


def _renew_logging(module):
    module._startTime = sys.modules["time"].time()


# What a module drew or read when it was loaded, which was before the snapshot: drawn or read again when the program gets
# the module. See docs/resume-hazards.md.
_RENEWED = {
    "random": lambda module: module.seed(),
    "numpy.random.mtrand": lambda module: module.seed(),
    "threading": lambda module: module.main_thread()._set_native_id(),
    "multiprocessing": _name_main,
    "multiprocessing.process": _renew_process,
    "logging": _renew_logging,
}
