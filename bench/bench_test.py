"""Tests of the harness itself, without an engine: what it concludes from answers, and that it stops what it starts."""

import json
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import report
from baselines import timed
from engine import Engine, EngineError
from load import Sample, burst, closed_loop, loopback, server_timing
from measure import Measurement, own_share, percentile, turn
from programs import BY_NAME, Program
from turns import compare

TIMING = "read;dur=0.75, queue;dur=0.50, pool;desc=hit;dur=0.25, layout;dur=1.00, run;dur=8.00, destroy;dur=0.25, total;dur=11.75"
ECHO = BY_NAME["bash-echo"]


class Answers(BaseHTTPRequestHandler):
    """An engine that answers every call with what the server holds."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps(self.server.answer).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Server-Timing", TIMING)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class LoadTest(unittest.TestCase):
    def setUp(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.server.status, self.server.answer = 200, {"stdout": "1\n", "exit_code": 0}
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def test_every_call_of_a_burst_is_a_sample_with_its_phases(self):
        samples = burst(self.url, ECHO, 5)
        self.assertEqual([(200, None, 8.0, True)] * 5, [(s.status, s.problem, s.phases["run"], s.waited) for s in samples])

    def test_a_closed_loop_ends_with_its_time(self):
        samples, took = closed_loop(self.url, [ECHO], 2, 3)
        self.assertTrue(samples)
        self.assertLess(took, 15)

    def test_a_wrong_answer_is_a_failure_although_it_is_200(self):
        self.server.answer = {"stdout": "2\n", "exit_code": 0}
        self.assertIn("wrong", burst(self.url, ECHO, 1)[0].problem)

    def test_a_refusal_is_a_failure_with_its_status(self):
        self.server.status = 503
        self.assertEqual(503, burst(self.url, ECHO, 1)[0].status)

    def test_an_engine_that_is_gone_makes_the_load_fail(self):
        self.server.shutdown()
        self.server.server_close()
        with self.assertRaises(OSError):
            burst(self.url, ECHO, 1)

    def test_only_loopback_is_loaded(self):
        for url in ("http://192.0.2.1", "https://127.0.0.1", "http://example.org:8080"):
            with self.subTest(url), self.assertRaises(ValueError):
                loopback(url)


class FiguresTest(unittest.TestCase):
    def test_phases_are_read_from_server_timing(self):
        phases, waited = server_timing(TIMING)
        self.assertTrue(waited)
        self.assertEqual(11.75, phases["total"])
        self.assertFalse(server_timing(TIMING.replace("hit", "miss"))[1])

    def test_the_engines_own_share_is_all_but_queue_and_guest(self):
        self.assertAlmostEqual(1.5, own_share(Sample(12, 200, None, server_timing(TIMING)[0])))

    def test_a_percentile_is_a_value_that_was_measured(self):
        values = list(range(100, 0, -1))
        self.assertEqual([51, 91, 100], [percentile(values, share) for share in (0.5, 0.9, 0.99)])

    def test_in_a_turn_the_engines_calls_lie_between_the_baselines(self):
        self.assertEqual(["native", "engine", "engine", "runsc", "engine", "engine"], turn(["native", "runsc"], 5))
        self.assertEqual(["engine"] * 3, turn([], 3))

    def test_failed_samples_are_counted_and_kept_out(self):
        measurement = Measurement(print)
        good = measurement.good("x", [Sample(1, 200, None), Sample(9, 0, "broken")])
        self.assertEqual([1], [sample.ms for sample in good])
        self.assertEqual((1, ["x: broken"]), (measurement.figures["x_failures"], measurement.failures))


class TurnsTest(unittest.TestCase):
    def test_pairs_are_compared_with_their_own_and_not_medians_with_medians(self):
        pairs = [(Sample(old, 200, None), Sample(new, 200, None)) for old, new in ((10, 9), (50, 48), (20, 21))]
        self.assertEqual((20, 21, -1, 2), compare(pairs, lambda sample: sample.ms))


class CheckTest(unittest.TestCase):
    def test_a_ratio_beyond_its_bound_fails_the_check(self):
        passed, lines = report.check({"figures": {"a": 2.0, "b": 2.0}}, {"a": ["<=", 1], "b": [">=", 1]})
        self.assertEqual((1, 1), (passed, len(lines)))
        self.assertIn("a is 2", lines[0])

    def test_a_figure_that_is_missing_fails_the_check(self):
        self.assertEqual(0, report.check({"figures": {}}, {"a": ["<=", 1]})[0])

    def test_bounds_are_no_stricter_than_bars(self):
        expected = json.loads(Path(__file__).with_name("bounds.json").read_text())
        for name in expected["bounds"].keys() & expected["bars"].keys():
            kind, bar = expected["bars"][name]
            self.assertTrue(report.holds(bar, expected["bounds"][name]), f"{name}: stricter than the bar {kind} {bar}")


class ProcessTest(unittest.TestCase):
    def test_a_baseline_that_fails_tells_what_it_said(self):
        sample = timed([sys.executable, "-c", "raise SystemExit('no disk')"], Program("x", "python", "", ""))
        self.assertIn("no disk", sample.problem)

    def test_an_engine_that_cannot_start_is_an_error_with_its_log(self):
        with tempfile.TemporaryDirectory() as directory:
            engine = Engine([sys.executable, "-c", "print('no template')"], Path(directory, "log"))
            with self.assertRaisesRegex(EngineError, "no template"), engine:
                self.fail("it started")
            self.assertIsNotNone(engine._process.poll())


result = unittest.main(verbosity=2, exit=False).result
failed = len(result.failures) + len(result.errors)
print(f"{result.testsRun - failed} passed, {failed} failed")
sys.exit(failed > 0)
