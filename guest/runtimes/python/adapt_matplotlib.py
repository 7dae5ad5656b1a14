"""Runs in the guest when its image is built: changes two lines of the installed matplotlib.

- The font list: looked for in the image, too, when the program's own cache has none. Making one takes seconds, and writes a
  warning to stderr. A change to the module, because any hook would cost every interpreter something and be seen by it.
- The backend: Agg. The others need a display.

A matplotlib that does not have these lines ends the build.
"""

import importlib.util
import os

FONT_LIST = "/usr/share/hexr-sandbox/matplotlib"


def replace(path, old, new):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count(old) != 1:
        raise SystemExit(f"{path}: expected exactly once: {old!r}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


def main():
    module = os.path.join(importlib.util.find_spec("matplotlib").submodule_search_locations[0], "font_manager.py")
    replace(
        module,
        """    if try_read_cache:
        try:
            fm = json_load(fm_path)
""",
        f"""    for path in [fm_path, Path("{FONT_LIST}", fm_path.name)] if try_read_cache else []:
        try:
            fm = json_load(path)
""",
    )
    compiled = importlib.util.cache_from_source(module)
    if os.path.exists(compiled):
        os.remove(compiled)
    replace("/etc/matplotlibrc", "\nbackend: TkAgg\n", "\nbackend: Agg\n")


main()
