# What a program starts: interpreters that do not park, with the program's environment and no descriptors but their own.
import concurrent.futures
import multiprocessing
import os
import subprocess
import sys

CHECK = """
import os, sys
print(sorted(name for name in os.environ if "HEXR" in name), "numpy" in sys.modules, sys.argv[1:])
print(sorted(os.listdir("/proc/self/fd"))[:4], sys.stdout.line_buffering, os.environ.get("MINE"))
import numpy
print(sys.meta_path, numpy.ones((3, 3)).sum())
"""


def square(n):
    return n * n, multiprocessing.parent_process() is not None, "HEXR_PARK_FD" in os.environ


if __name__ == "__main__":
    os.environ["MINE"] = "yes"
    for options in ([], ["-I"], ["-S", "-I"], ["-X", "utf8"]):
        code = CHECK if "-S" not in options else "import sys; print('site' in sys.modules)"
        done = subprocess.run([sys.executable, *options, "-c", code, "x"], capture_output=True, text=True)
        print(options, done.returncode, done.stdout, done.stderr)
    print(subprocess.run(["env"], capture_output=True, text=True).stdout)
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            print(method, pool.map(square, range(4)))
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        print(list(executor.map(square, range(3))))
    sys.stdout.flush()
    if os.fork() == 0:
        import random, scipy.linalg

        print("child", scipy.linalg.det([[1, 2], [3, 4]]), random.Random(1).random())
        sys.exit(3)
    print(os.waitstatus_to_exitcode(os.wait()[1]))
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-c", "import sys; print('executed', sys.argv)", "z"])
