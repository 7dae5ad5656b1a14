"""An engine inside the machine, on its second shell."""

import re
import threading

from machine import LabError, tail

READY = re.compile(rb"^Ready: ", re.MULTILINE)
# Long: nothing else is to end a lab that somebody uses
LIFE_SECONDS = 7 * 24 * 3600
STOP_SECONDS = 60


class Engine:
    """Started by `with`, which waits until it says that it is ready; what it prints goes to its log and to `sink`."""

    def __init__(self, machine, start_seconds, sink=lambda output: None):
        self.log = machine.directory / "engine.log"
        self._machine = machine
        self._start_seconds = start_seconds
        self._sink = sink
        self._seen = b""
        self._changed = threading.Event()
        self._failure = None
        self.status = None

    def __enter__(self):
        self._file = self.log.open("ab")
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        if not self._changed.wait(self._start_seconds):
            raise LabError(f"the engine is not ready in time; its last lines:\n{tail(self.log)}")
        if not READY.search(self._seen):
            raise LabError(f"the engine ended ({self._failure or self.status}); its last lines:\n{tail(self.log)}")
        return self

    def _run(self):
        try:
            self.status = self._machine.second.run("/opt/lab/inside/engine", LIFE_SECONDS, self._take)[0]
        except (LabError, OSError) as failure:
            self._failure = failure
        self._changed.set()

    def _take(self, output):
        self._file.write(output)
        self._file.flush()
        self._sink(output)
        if not self._changed.is_set():
            self._seen += output
            if READY.search(self._seen):
                self._changed.set()

    def wait(self, seconds=None):
        """Its exit status, or None if it still runs by then."""
        self._thread.join(seconds)
        return self.status

    def signal(self, name):
        self._machine.first.run(f"kill -{name} $(pidof java)", 30)

    def __exit__(self, *_):
        if self._thread.is_alive():
            self.signal("TERM")
            self._thread.join(STOP_SECONDS)
        self._file.close()
