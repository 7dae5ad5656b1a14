"""Runs at the end of `import site` in every Python of the guest (takes the place of Debian's, which looks for apport).

Two variables of the environment, which only the agent sets and which no program gets to see, make it do something:
HEXR_PARK_FD parks the interpreter, HEXR_PROGRAM says that a fresh interpreter runs the program of a call.
In all others, such as the children of a program, it looks these two up and is done.
"""

import os

if "HEXR_PARK_FD" in os.environ or "HEXR_PROGRAM" in os.environ:
    import sys

    fresh_modules = frozenset(sys.modules)
    sys.path.append("/usr/lib/hexr-sandbox/python")
    try:
        import hexr_runtime
    finally:
        sys.path.pop()
    hexr_runtime.start(fresh_modules)
    del sys, fresh_modules, hexr_runtime
del os
