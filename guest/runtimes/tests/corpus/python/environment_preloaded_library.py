# case: {"environment": {"LD_PRELOAD": "libm.so.6"}, "arguments": ["x", ""]}
import os
import sys

print(os.environ["LD_PRELOAD"], any("libm" in l for l in open("/proc/self/maps")))
print(sys.argv, sys.orig_argv, [name for name in os.environ if "HEXR" in name])
