# A module that the program blocks is missing for all that import it.
import sys

sys.modules["numpy"] = None
for name in ("numpy", "pandas", "scipy", "json"):
    try:
        print(__import__(name).__name__)
    except ImportError as error:
        print(type(error).__name__, error)
del sys.modules["numpy"]
import numpy

print(numpy.arange(3))
sys.modules["_bisect"] = sys.modules["heapq"] = None
import bisect

print(bisect.insort)
try:
    import queue
except ImportError as error:
    print(error)
