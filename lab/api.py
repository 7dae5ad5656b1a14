"""A client of the engine's API for the lab's tests."""

import http.client
import json
import threading

# Deadline of a call's answer, far above what the slow machine takes
ANSWER_SECONDS = 600


class Api:
    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"
        self._port = port

    def get(self, path):
        return self._request("GET", path, None)

    def post(self, body):
        """Status and parsed answer of a call."""
        return self._request("POST", "/api/v1/exec", body)

    def _request(self, method, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=ANSWER_SECONDS)
        try:
            connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def run(self, language, code, **further):
        """Standard output of a program that has to succeed."""
        status, answer = self.post({"language": language, "code": code, **further})
        if status != 200 or answer["exit_code"] != 0:
            raise AssertionError(f"{status} for {code!r}: {answer}")
        return answer["stdout"]


class Call:
    """A call that goes on meanwhile."""

    def __init__(self, api, body):
        self._answer = None
        self._thread = threading.Thread(target=self._run, args=(api, body), daemon=True)
        self._thread.start()

    def _run(self, api, body):
        try:
            self._answer = api.post(body)
        except OSError as error:
            self._answer = (0, {"no answer": str(error)})

    def answer(self):
        """Status and body; (0, …) if the connection broke."""
        self._thread.join(ANSWER_SECONDS)
        if self._answer is None:
            raise AssertionError("the call has no answer")
        return self._answer
