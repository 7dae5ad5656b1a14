# Deleting, reloading and copying modules.
import importlib
import importlib.util
import sys

import json

first = json
del sys.modules["json"]
import json

print(json is first, json.loads is first.loads, json.dumps([1]))
json.marker = 1
print(importlib.reload(json) is json, json.marker, json.__spec__.name, json.__spec__._initializing)
spec = importlib.util.find_spec("textwrap")
copy = importlib.util.module_from_spec(spec)
spec.loader.exec_module(copy)
import textwrap

print(copy is textwrap, copy.dedent(" a"), textwrap.__spec__ == spec, "textwrap" in sys.modules)
print(importlib.import_module("csv") is sys.modules["csv"], __import__("os.path").__name__)
from importlib import import_module

print(import_module(".decoder", "json").__name__)
try:
    import no_such_module
except ModuleNotFoundError as error:
    print(error, error.name, error.path)
try:
    from json import no_such_name
except ImportError as error:
    print(error, error.name, error.path)
try:
    import json.no_such_submodule
except ModuleNotFoundError as error:
    print(error, error.name)
