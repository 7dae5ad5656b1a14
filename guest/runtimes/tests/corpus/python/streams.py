# case: {"stdin": "first\nsecond ü\nthird"}
import os
import subprocess
import sys

print(input("prompt "), repr(sys.stdin.readline()))
print(sys.stdin.read(), sys.stdin.read() == "", file=sys.stderr)
print("no newline", end="")
sys.stdout.write("|")
print("partial", end="", flush=True)
os.write(1, b"\nraw\n")
subprocess.run(["echo", "child"])
sys.stdout.buffer.write(b"\xff\xfe")
print("\ud83d".encode("utf-8", "surrogatepass"), sys.stdout.buffer.raw.name, sys.stdout.newlines)
print("to stderr", file=sys.stderr)
print(open(0, closefd=False).read() == "", open("/dev/stdin").read() == "", os.get_blocking(0), os.get_blocking(1))
