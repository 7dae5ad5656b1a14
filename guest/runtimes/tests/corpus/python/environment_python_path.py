# case: {"environment": {"PYTHONPATH": "/workspace/lib"}, "files": {"lib/mine.py": "X = 1\n", "lib/json.py": "Y = 2\n"}, "arguments": ["x", ""]}
import json, mine
import os
import sys

print(json.__file__, mine.X, sys.path)
print(sys.argv, sys.orig_argv, [name for name in os.environ if "HEXR" in name])
