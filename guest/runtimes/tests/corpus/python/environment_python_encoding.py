# case: {"environment": {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}, "arguments": ["x", ""]}
import os
import sys

print("é", sys.stdout.encoding, sys.flags.utf8_mode)
print(sys.argv, sys.orig_argv, [name for name in os.environ if "HEXR" in name])
