# case: {"files": {"broken.py": "import json\n\n\ndef fail():\n    json.loads('{')\n\n\nfail()\n", "syntax.py": "def f(:\n"}}
# Tracebacks of imports show the program's frames only.
try:
    import syntax
except SyntaxError as error:
    print(error.filename, error.lineno, error.text)
import broken
