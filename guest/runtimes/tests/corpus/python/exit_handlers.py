# Handlers run in the reverse order of registration, those of libraries among them.
import atexit
import threading

atexit.register(print, "registered before logging")
import logging


class Handler(logging.Handler):
    def emit(self, record):
        print("log:", record.getMessage())

    def close(self):
        print("handler closed")
        super().close()


logging.getLogger().addHandler(Handler())
logging.warning("hello")
atexit.register(print, "registered after logging")
from concurrent.futures import ThreadPoolExecutor
import multiprocessing.util

multiprocessing.util.Finalize(None, print, args=("finalizer of multiprocessing",), exitpriority=1)
atexit.register(print, "registered last")
thread_ended = threading.Event()
pool = ThreadPoolExecutor(2)
pool.submit(lambda: (thread_ended.wait(), print("pool drained")))


class Last:
    def __del__(self):
        print("object of the main module freed")


last = Last()
threading.Thread(target=lambda: (print("thread ended"), thread_ended.set())).start()


@atexit.register
def failing():
    raise RuntimeError("in a handler")


raise SystemExit(5)
