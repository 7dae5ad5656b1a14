# case: {"environment": {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}, "arguments": ["x", ""]}
import os
import sys

print(sys.stdout.write_through, sys.dont_write_bytecode)
print(sys.argv, sys.orig_argv, [name for name in os.environ if "HEXR" in name])
