# case: {"environment": {"OPENBLAS_NUM_THREADS": "1"}, "arguments": ["x", ""]}
import numpy
import os
import sys

print(len(os.listdir("/proc/self/task")), os.environ["OPENBLAS_NUM_THREADS"])
print(sys.argv, sys.orig_argv, [name for name in os.environ if "HEXR" in name])
