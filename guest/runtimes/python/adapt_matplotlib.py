"""Runs in the guest when its image is built: changes some lines of the installed matplotlib.

Usage: adapt_matplotlib.py FIGURE_FILES.PY

- The font list: looked for in the image, too, when the program's own cache has none. Making one takes seconds, and writes a
  warning to stderr. A change to the module, because any hook would cost every interpreter something and be seen by it.
- The backend: Agg. The others need a display.
- What Agg does to show a figure: nothing, without a display. Here it is what FIGURE_FILES.PY does, in Agg itself and not in a
  backend of its own, since programs ask for Agg by name.

A matplotlib that does not have these lines ends the build.
"""

import importlib.util
import os
import shutil
import sys

FONT_LIST = "/usr/share/hexr-sandbox/matplotlib"


def replace(path, old, new):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count(old) != 1:
        raise SystemExit(f"{path}: expected exactly once: {old!r}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))


def replace_in_module(path, old, new):
    replace(path, old, new)
    compiled = importlib.util.cache_from_source(path)
    if os.path.exists(compiled):
        os.remove(compiled)


def main(figure_files):
    package = importlib.util.find_spec("matplotlib").submodule_search_locations[0]
    replace_in_module(
        os.path.join(package, "font_manager.py"),
        """    if try_read_cache:
        try:
            fm = json_load(fm_path)
""",
        f"""    for path in [fm_path, Path("{FONT_LIST}", fm_path.name)] if try_read_cache else []:
        try:
            fm = json_load(path)
""",
    )
    replace("/etc/matplotlibrc", "\nbackend: TkAgg\n", "\nbackend: Agg\n")
    shutil.copyfile(figure_files, os.path.join(package, "backends", "figure_files.py"))
    # The manager belongs to the backend and not to its canvas, from which others inherit.
    replace_in_module(
        os.path.join(package, "backends", "backend_agg.py"),
        """    FigureCanvas = FigureCanvasAgg
    FigureManager = FigureManagerBase
""",
        """    from matplotlib.backends.figure_files import FigureManagerFile, mainloop
    FigureCanvas = FigureCanvasAgg
    FigureManager = FigureManagerFile
    mainloop = staticmethod(mainloop)

    @classmethod
    def new_figure_manager_given_figure(cls, num, figure):
        return cls.FigureManager.create_with_canvas(cls.FigureCanvas, figure, num)
""",
    )


main(*sys.argv[1:])
