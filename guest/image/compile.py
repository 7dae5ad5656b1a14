"""Runs in the guest while its image is built: compiles every Python module whose compiled form is missing or of another source.

By hash and unchecked: the usual form holds the source's time of change, which the image sets anew; and the root cannot
change, so there is nothing to check when a module is imported. In one process and in the order of names, because what marshal
writes depends on what the same process has interned before.
"""

import importlib.util
import os
import py_compile

MODULES = ["/usr/lib/python3.11", "/usr/lib/python3/dist-packages", "/usr/lib/hexr-sandbox"]
UNCHECKED_HASH = (1).to_bytes(4, "little")


def sources(top):
    for directory, names, files in os.walk(top):
        names.sort()
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.join(directory, name)


def is_compiled(source, compiled):
    """PEP 552: the magic number, the flags, the hash of the source."""
    if not os.path.exists(compiled):
        return False
    with open(source, "rb") as file:
        expected = importlib.util.MAGIC_NUMBER + UNCHECKED_HASH + importlib.util.source_hash(file.read())
    with open(compiled, "rb") as file:
        return file.read(16) == expected


def main():
    for top in MODULES:
        for source in sources(top):
            compiled = importlib.util.cache_from_source(source)
            if not is_compiled(source, compiled):
                py_compile.compile(
                    source,
                    cfile=compiled,
                    doraise=True,
                    invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
                )


main()
