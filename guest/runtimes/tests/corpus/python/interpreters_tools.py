# Debugger, profiler, tracer, documentation, metadata: tools that look at modules and frames.
import cProfile
import importlib.metadata
import inspect
import io
import pdb
import pkgutil
import pstats
import runpy
import sys
import tracemalloc

print(importlib.metadata.version("numpy"), len(list(pkgutil.iter_modules())), "json" in {m.name for m in pkgutil.iter_modules()})
print(inspect.getsourcefile(pkgutil), inspect.getmodule(inspect.getsource).__name__, inspect.stack()[0].filename)
traced = []
sys.settrace(lambda frame, event, argument: traced.append(frame.f_code.co_name))
max(map(lambda x: x, [1]))
sys.settrace(None)
print(traced)
profiler = cProfile.Profile()
profiler.runcall(sorted, [3, 1])
print(pstats.Stats(profiler, stream=io.StringIO()).total_calls)
tracemalloc.start()
print(tracemalloc.is_tracing(), tracemalloc.get_traced_memory()[0] >= 0)
help("keywords")
pdb.Pdb(stdin=io.StringIO("p 1 + 1\nq\n"), stdout=sys.stdout, nosigint=True).run("x = 1")
print(runpy.run_module("this", run_name="other")["__name__"])
