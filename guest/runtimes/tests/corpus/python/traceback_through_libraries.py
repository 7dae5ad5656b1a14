import json
import sys
import threading
import traceback

import numpy as np
import pandas as pd


def parse(text):
    return json.loads(text)


for attempt in (
    lambda: parse("[1, 2"),
    lambda: pd.DataFrame({"a": [1]})["b"],
    lambda: np.ones(3) @ np.ones(4),
    lambda: int("x"),
):
    try:
        attempt()
    except Exception:
        traceback.print_exc()
thread = threading.Thread(target=parse, args=("{",), name="worker")
thread.start()
thread.join()


class Unraisable:
    def __del__(self):
        raise ValueError("in __del__")


Unraisable()
parse("nul")
