# What a program can ask an interpreter about itself, before it imports anything and after the large libraries.
import sys

before = sorted(sys.modules)
print(before)
print({name: sorted(vars(sys.modules[name])) for name in before if name not in ("_frozen_importlib", "__main__")})

import atexit, builtins, codecs, gc, importlib.util, io, os, posix, signal, site, time, warnings

print(gc.isenabled(), gc.get_threshold(), gc.get_debug(), gc.garbage, gc.callbacks)
print(warnings.filters, warnings.onceregistry, warnings.defaultaction, atexit._ncallbacks(), sorted(vars(builtins)))
print(sys.argv, sys.orig_argv, sys.flags, sys.executable, sys.prefix, sys._xoptions, sys.warnoptions)
print(sys.path, sys.meta_path, len(sys.path_hooks), sorted(sys.path_importer_cache), sorted(dir(sys)))
print(sys.getrecursionlimit(), sys.getswitchinterval(), sys.getprofile(), sys.gettrace(), sys.get_asyncgen_hooks())
print(sys.excepthook, sys.displayhook, sys.unraisablehook, sys.breakpointhook, sys.dont_write_bytecode)
print(dict(os.environ), sorted(posix.environ.items()), os.getcwd(), oct(os.umask(0o22)))
print([signal.getsignal(number) for number in sorted(signal.valid_signals())][:31], signal.pthread_sigmask(signal.SIG_BLOCK, []))
print(os.getpgrp() == os.getpid() == os.getsid(0), os.getppid(), time.process_time() < 2, os.times().children_user)
print(time.tzname, time.timezone, time.daylight, site.USER_BASE, site.USER_SITE, site.ENABLE_USER_SITE, site.PREFIXES)
for stream in (sys.stdin, sys.stdout, sys.stderr):
    print(stream.name, stream.mode, stream.encoding, stream.errors, stream.newlines, stream.fileno(), stream.write_through)
print(sys.stderr.line_buffering, sorted(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")))
print([importlib.util.find_spec(name).origin for name in ("json", "numpy", "math", "asyncio.events")])

import asyncio, decimal, json, locale, logging, multiprocessing, random, socket, tempfile, threading

print(logging.root.handlers, logging.root.level, logging.getLogger("asyncio").level)
print(len(threading.enumerate()), threading.current_thread() is threading.main_thread(), threading._threading_atexits)
print(threading.get_ident() == threading.main_thread().ident, threading.get_native_id() == threading.main_thread().native_id)
print(locale.getlocale(), locale.setlocale(locale.LC_ALL), tempfile.tempdir, decimal.getcontext(), socket.getdefaulttimeout())
print(multiprocessing.current_process(), multiprocessing.get_start_method(allow_none=True), multiprocessing.active_children())
print(json.__spec__.origin, type(json.__loader__), json.__file__, json.__cached__, json.__package__, json.decoder.__spec__.parent)


def loaded():
    print(sorted(sys.modules), warnings.filters, atexit._ncallbacks(), [type(finder) for finder in sys.meta_path])


loaded()
import numpy as np

loaded()
print(np.geterr(), np.get_printoptions())
import pandas as pd

loaded()
print(pd.options.display.max_rows, pd.options.mode.chained_assignment)
import scipy

loaded()
print(sorted(vars(scipy)))
import scipy.stats

loaded()
for name, module in sorted(sys.modules.items()):
    if name not in ("_frozen_importlib", "__main__") and hasattr(module, "__dict__"):
        print(name, sorted(key for key in vars(module) if key != "__warningregistry__"))
