"""Runs in the guest while its image is built: compiles every Python module that has no compiled form yet.

By hash and unchecked: the usual form holds the source's time of change, which the image sets anew; and the root cannot
change, so there is nothing to check. In one process and in the order of names, because what marshal writes depends on what
the same process has interned before.
"""

import importlib.util
import os
import py_compile

MODULES = ["/usr/lib/python3.11", "/usr/lib/python3/dist-packages", "/usr/lib/hexr-sandbox"]


def sources(top):
    for directory, names, files in os.walk(top):
        names.sort()
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.join(directory, name)


def main():
    for top in MODULES:
        for source in sources(top):
            compiled = importlib.util.cache_from_source(source)
            if not os.path.exists(compiled):
                py_compile.compile(
                    source,
                    cfile=compiled,
                    doraise=True,
                    invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
                )


main()
