"""What takes the place of a window where there is no display: part of the guest's matplotlib, used by its backend Agg.

A figure's window is a file, the first of /workspace/figure-1.png, -2 and so on that is not there yet. Showing the
figure again writes the same file anew, as a window shows what has changed. `plt.show()` then goes on as if all windows had
been closed, so a figure that was shown is not shown by the next call; not so with `block=False` or `plt.ion()`.
"""

import io
import itertools

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase

_numbers = itertools.count(1)


class FigureManagerFile(FigureManagerBase):
    _path = None

    def show(self):
        image = io.BytesIO()
        self.canvas.figure.savefig(image, format="png")
        with self._open() as file:
            file.write(image.getvalue())

    def _open(self):
        if self._path is not None:
            return open(self._path, "wb")
        for number in _numbers:
            path = f"/workspace/figure-{number}.png"
            try:
                file = open(path, "xb")
            except FileExistsError:
                continue
            self._path = path
            return file


def mainloop():
    """Where a window system would wait until the last window is closed."""
    Gcf.destroy_all()
