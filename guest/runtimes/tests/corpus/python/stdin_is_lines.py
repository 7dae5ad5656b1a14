# case: {"stdin": "a\nb\nc"}
import sys

print([line for line in sys.stdin], sum(1 for _ in sys.stdin))
print(input("at the end"))
