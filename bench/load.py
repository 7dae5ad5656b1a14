"""Load on an engine: calls over connections that stay open, one after another, in closed loops, and all at once.

Everything is bounded: a call by its deadline, a loop by its time and its number of calls, and only loopback is loaded.
"""

import http.client
import ipaddress
import json
import re
import threading
import time
import urllib.parse
from dataclasses import dataclass, field

CALL_SECONDS = 90
LOOP_CALLS = 20_000
PHASE = re.compile(r"(\w+)(?:;desc=(\w+))?;dur=([0-9.]+)")


@dataclass(frozen=True)
class Sample:
    """One call. `status` is 0 when there was no answer; `problem` says what is wrong with it, if anything is."""

    ms: float
    status: int
    problem: str | None
    phases: dict = field(default_factory=dict)
    waited: bool = False
    stdout: str = ""


def server_timing(header):
    """Phases in ms, and whether the sandbox had waited for the call."""
    phases, waited = {}, False
    for name, description, duration in PHASE.findall(header or ""):
        phases[name] = float(duration)
        waited = waited or (name == "pool" and description == "hit")
    return phases, waited


def loopback(url):
    """Host and port. This is a load generator: it is not pointed at other people's machines."""
    parts = urllib.parse.urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme != "http" or not (host == "localhost" or ipaddress.ip_address(host).is_loopback):
        raise ValueError(f"{url} is not http on loopback")
    return host, parts.port or 80


class Client:
    """One connection, for one thread."""

    def __init__(self, url):
        self._connection = http.client.HTTPConnection(*loopback(url), timeout=CALL_SECONDS)

    def __enter__(self):
        self._connection.connect()
        return self

    def __exit__(self, *_):
        self._connection.close()

    def call(self, program):
        body = json.dumps(program.request()).encode()
        start = time.perf_counter()
        try:
            self._connection.request("POST", "/api/v1/exec", body, {"Content-Type": "application/json"})
            response = self._connection.getresponse()
            answer = response.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()  # the next request opens it again
            return Sample((time.perf_counter() - start) * 1e3, 0, repr(error))
        ms = (time.perf_counter() - start) * 1e3
        phases, waited = server_timing(response.getheader("Server-Timing"))
        stdout, problem = check(program, response.status, answer)
        return Sample(ms, response.status, problem, phases, waited, stdout)

    def health(self):
        self._connection.request("GET", "/health")
        response = self._connection.getresponse()
        return json.loads(response.read())


def check(program, status, answer):
    if status != 200:
        return "", f"{status} {answer[:200]!r}"
    result = json.loads(answer)
    right = result["exit_code"] == 0 and result["stdout"].endswith(program.stdout)
    return result["stdout"], None if right else f"wrong: {str(result)[:200]}"


def closed_loop(url, programs, clients, seconds):
    """`clients` callers, each of which calls again as soon as it has its answer. Returns samples and seconds taken."""
    samples = [[] for _ in range(clients)]
    deadline = time.monotonic() + seconds

    def caller(index):
        with Client(url) as client:
            for call in range(index, index + LOOP_CALLS):
                if time.monotonic() >= deadline:
                    return
                samples[index].append(client.call(programs[call % len(programs)]))

    start = time.monotonic()
    in_threads(clients, caller)
    return [sample for each in samples for sample in each], time.monotonic() - start


def burst(url, program, calls):
    """All at the same moment, each on a connection that is open already."""
    samples = [None] * calls
    together = threading.Barrier(calls)

    def caller(index):
        with Client(url) as client:
            together.wait(CALL_SECONDS)
            samples[index] = client.call(program)

    in_threads(calls, caller)
    return samples


def in_threads(count, work):
    errors = []

    def guarded(index):
        try:
            work(index)
        except BaseException as error:  # a thread's own exception would only be printed
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(index,), daemon=True) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
