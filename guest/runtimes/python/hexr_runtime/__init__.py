"""The parked interpreter: imports what programs use, waits for a program, and becomes a fresh interpreter that runs it.

Life of a parked interpreter, `python3 /workspace/main.py` with HEXR_PARK_FD in its environment:

  preload   inside `import site`, before Python opens the script (which does not exist yet): imports the modules of the
            plan, takes them out of sys.modules, undoes what importing them did to the interpreter, and goes on in a child
            process.
  parked    one byte `P` written, blocked in read(2). A snapshot is taken here and resumed many times, so that nothing
            that is drawn or read before this point may be used after it: docs/resume-hazards.md.
  launched  arguments, environment, time zone, directory and streams are those of the call. When the call asks for what
            only a new process can give (launch.must_be_fresh), the process executes Python anew, and hexr_runtime only
            sets up its stdout. Otherwise `import site` returns and Python runs the script as it always does.
  running   the program meets one trace of this package: the import system asks the stash (stash.py) for modules.

Any failure on the way ends the interpreter with its traceback: no template is made from a doubtful state, and no program
runs in one. (`import site` alone would report an exception and go on.) End of stream while parked means that the agent is
gone: the interpreter ends too.
"""

import os
import sys


def start(fresh_modules):
    """What sitecustomize calls. `fresh_modules`: names in sys.modules before this package was imported."""
    try:
        if "HEXR_PARK_FD" in os.environ:
            _park(fresh_modules, int(os.environ.pop("HEXR_PARK_FD")))
        else:
            del os.environ["HEXR_PROGRAM"]
        # Each line goes out when it ends, so that the output streams and a call that times out keeps what it printed.
        # Python would buffer blocks, because stdout is a pipe.
        sys.stdout.reconfigure(line_buffering=True)
        _leave()
    except Exception:
        sys.excepthook(*sys.exc_info())
        os._exit(70)  # EX_SOFTWARE


def _park(fresh_modules, descriptor):
    # Imported here because of what they import themselves: a fresh interpreter that passes through start() has not.
    from . import launch, preload

    parked_environment = dict(os.environb)
    stash, process = preload.preload(fresh_modules, hidden=__name__)
    preload.settle()
    process.continue_in_child()
    launch.rehearse()
    os.write(descriptor, b"P")
    call = launch.read(descriptor, process.touch)
    os.close(descriptor)
    launch.assume(call)
    stash.install()
    if launch.must_be_fresh(call, parked_environment, stash):
        launch.execute_fresh(call)


def _leave():
    """Takes this package out of the program's sight. What still works for it, stash.py, is held by the import system."""
    for name in [name for name in sys.modules if name.partition(".")[0] == __name__]:
        del sys.modules[name]
    for path in [path for path in sys.path_importer_cache if path.startswith(os.path.dirname(__path__[0]))]:
        del sys.path_importer_cache[path]
