# case: {"files": {"random.py": "ORIGIN = 'mine'\ndef choice(items): return items[0]\n"}}
# The workspace has a module of the standard library that others import, too.
import random
import sys

print(random.ORIGIN, random.__file__)
try:
    import tempfile
except ImportError as error:
    print("as in a fresh interpreter:", error)
print("numpy" in sys.modules)
