"""Runs in the guest when its image is built: measures what importing the modules of preload.txt brings.

Usage: plan_preload.py PRELOAD.TXT PLAN.PY NAMES.JSON

Every importable module among those that get loaded is imported by itself, in a fork of this process, which has itself
imported nothing that a fresh interpreter has not.

PLAN.PY gets the names of preload.txt, in their order, and the units that hexr_runtime hands over, smallest first, each as
(name, modules, indices of the units it needs). NAMES.JSON gets the top-level names, by which a file in the workspace could
shadow one of the modules.
"""

import marshal
import os
import sys

FRESH = frozenset(sys.modules)


def loaded_by(name):
    """Names that `import name` adds to sys.modules; None if there is no such module."""
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receiving)
        try:
            __import__(name)
            names = [module for module in sys.modules if module not in FRESH and module != "__mp_main__"]
            with open(sending, "wb") as pipe:
                pipe.write(marshal.dumps(names))
        except ImportError:
            os._exit(1)
        os._exit(0)
    os.close(sending)
    with open(receiving, "rb") as pipe:
        data = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status not in (0, 1):
        raise SystemExit(f"import {name} ended with status {status}")
    return frozenset(marshal.loads(data)) if data else None


def packages_of(name):
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def closures_of(names):
    """For each module that can be the subject of an import: all that the import loads.

    A module that comes with its own package needs no closure: whoever has the package has it.
    """
    closures, impossible = {}, set()  # impossible: entered into sys.modules by others

    def visit(name):
        for package in packages_of(name):
            visit(package)
        if name in FRESH or name in closures or name in impossible:
            return
        if any(name in closures.get(package, ()) for package in packages_of(name)):
            return
        closure = loaded_by(name)
        if closure is None:
            impossible.add(name)
            return
        closures[name] = closure
        for other in sorted(closure):
            visit(other)

    for name in names:
        visit(name)
        if name in impossible:
            raise SystemExit(f"{name} cannot be imported")
    return closures


def units_of(closures):
    order = sorted(closures, key=lambda name: (len(closures[name]), name))
    units = []
    for position, name in enumerate(order):
        needs = [i for i in range(position) if order[i] in closures[name]]
        modules = closures[name].difference(*(units[i][1] for i in needs))
        units.append((name, tuple(sorted(modules)), tuple(needs)))
    return units


def main(preload_file, plan_file, names_file):
    with open(preload_file, encoding="utf-8") as lines:
        names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    units = units_of(closures_of(names))
    with open(plan_file, "w", encoding="utf-8") as plan:
        plan.write('"""Written by plan_preload.py when the image was built."""\n\n')
        plan.write("NAMES = (\n" + "".join(f"    {name!r},\n" for name in names) + ")\n")
        plan.write("# (name, modules, needs)\n")
        plan.write("UNITS = (\n" + "".join(f"    {unit!r},\n" for unit in units) + ")\n")
    tops = sorted(
        {module.partition(".")[0] for _, modules, _ in units for module in modules}
        - FRESH.union(sys.builtin_module_names)
    )
    import json

    with open(names_file, "w", encoding="utf-8") as file:
        json.dump({"python": tops}, file)
        file.write("\n")


# numpy's threads would not survive the forks.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
main(*sys.argv[1:])
