# case: {"environment": {"PYTHONWARNINGS": "error"}, "arguments": ["x", ""]}
import os
import sys
import warnings

print(warnings.filters[0], sys.warnoptions, sys.flags)
print(sys.argv, sys.orig_argv, [name for name in os.environ if "HEXR" in name])
