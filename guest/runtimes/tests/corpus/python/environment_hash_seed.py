# case: {"environment": {"PYTHONHASHSEED": "0"}, "arguments": ["x", ""]}
import os
import sys

print(hash("abc"), {"b", "a", "c"})
print(sys.argv, sys.orig_argv, [name for name in os.environ if "HEXR" in name])
