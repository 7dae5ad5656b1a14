"""An engine inside the machine."""

import re
import threading

from machine import LabError, tail

READY = re.compile(rb"^Ready: ", re.MULTILINE)
START_SECONDS = 1800
STOP_SECONDS = 300
# Nothing but its user ends a lab that serves
LIFE_SECONDS = 7 * 24 * 3600


class Engine:
    """It runs on the machine's second shell, so a thread here waits for it; what it prints goes to its log and to `sink`. It
    can be started again after it was stopped or killed, on the state that it left."""

    def __init__(self, machine, sink=lambda output: None):
        self.log = machine.directory / "engine.log"
        self.status = None
        self._machine = machine
        self._sink = sink
        self._thread = None

    def __enter__(self):
        self.ensure_running()
        return self

    def __exit__(self, *_):
        self.stop()

    def ensure_running(self):
        """Returns when it has said that it is ready."""
        if self._is_running():
            return
        self.status = None
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        if not ready.wait(START_SECONDS):
            raise LabError(f"the engine is not ready in time; its last lines:\n{tail(self.log)}")
        if self.status is not None:
            raise LabError(f"the engine ended with {self.status}; its last lines:\n{tail(self.log)}")

    def _is_running(self):
        return self._thread is not None and self._thread.is_alive()

    def _run(self, ready):
        seen = b""
        with self.log.open("ab") as log:

            def take(output):
                nonlocal seen
                log.write(output)
                log.flush()
                self._sink(output)
                if not ready.is_set():
                    seen += output
                    if READY.search(seen):
                        ready.set()

            try:
                self.status = self._machine.second.run("/opt/lab/inside/engine", LIFE_SECONDS, take)[0]
            except (LabError, OSError) as failure:
                self.status = failure
        ready.set()

    def wait(self):
        """Until it ends by itself; how it ended."""
        self._thread.join()
        return self.status

    def stop(self):
        """By SIGTERM."""
        self._end("TERM", STOP_SECONDS)

    def kill(self):
        self._end("KILL", 120)

    def _end(self, signal, seconds):
        if not self._is_running():
            return
        self._machine.first.run(f"kill -{signal} $(pidof java)", 120)
        self._thread.join(seconds)
        if self._is_running():
            raise LabError(f"the engine does not end on SIG{signal}; its last lines:\n{tail(self.log)}")
