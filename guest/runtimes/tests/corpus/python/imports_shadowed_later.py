# case: {"files": {"lib/queue.py": "ORIGIN = 'mine'\nclass Queue: pass\nclass Empty(Exception): pass\nclass Full(Exception): pass\nclass LifoQueue: pass\nclass PriorityQueue: pass\nclass SimpleQueue:\n    pass\n", "lib/calendar.txt": "no module"}}
# A directory that the program puts in front of sys.path has a module of the standard library.
import sys

sys.path.insert(0, "lib")
import calendar
import queue

print(queue.ORIGIN, queue.__file__, calendar.__file__)
from concurrent.futures import thread

print(thread.queue is queue)
import numpy

print(numpy.arange(3).sum())
