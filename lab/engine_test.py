"""An engine on a real Firecracker, seen from outside, and what it is on the machine that it runs on."""

import json
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from api import Call

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "engine/src/test/cases"
sys.path.insert(0, str(CASES))
import run_cases  # noqa: E402 (it lies there)

SEED_REQUEST = {
    "code": "import pandas as pd\nprint(pd.DataFrame({'a': [1,2,3]}).describe())",
    "language": "python",
    "timeout": 30,
    "memory_mb": 256,
}
SEED_ANSWER = """\
         a
count  3.0
mean   2.0
std    1.0
min    1.0
25%    1.5
50%    2.0
75%    2.5
max    3.0
"""

# Of every kind of case those that a microVM could do otherwise than a container
SAMPLE = """
    py-name-main py-fds-clean py-mp-pool py-traceback py-kill-self io-binary stdin-lines env-values files-csv
    js-uncaught js-exit-code js-child-process sh-pipefail sh-process-substitution
    to-sh-child mem-py-grow mem-child lim-fork-bomb-sh more-small-disk-32 out-flood-stderr
    sec-ids sec-net-interfaces sec-vsock sec-mount sec-modules sec-proc-1 sec-kernel-files net-loopback
    rnd-numpy rnd-js rnd-js-crypto rnd-sh clk-py dev-nodes user-entry-py sci-pandas more-small-16-bash
""".split()
# Seconds that a program may take here where a machine gives it 20, and that all bounds of time are wider
CASE_SECONDS, SLACK_SECONDS = 240, 240
# What a program that is to run out of its time has besides, to print something before
MORE_SECONDS = 15
# It takes one minute
BENCH_SECONDS = 900

IDLE_KIB = {"bash": 5 * 1024, "python": 20 * 1024}
NOW = "import time; print(time.time())"
ENTROPY = {
    "python": "import os, random, uuid, numpy; print(os.urandom(16).hex(), random.random(), uuid.uuid4(), numpy.random.rand())",
    "javascript": "const c = require('crypto'); console.log(Math.random(), c.randomUUID(), c.randomBytes(16).toString('hex'))",
    "bash": "echo $RANDOM$RANDOM$RANDOM; cat /proc/sys/kernel/random/uuid",
}


class EngineTest(unittest.TestCase):
    """What its tests use. The classes run in the order of their names, so that those that end engines come last."""

    # set by test.py
    machine = engine = api = None
    maxDiff = None

    def setUp(self):
        self.engine.ensure_running()

    def note(self, what, value):
        print(f"\n    seen under emulation, no measure of speed: {what}: {value}", file=sys.stderr, flush=True)

    def inside(self, command):
        status, output = self.machine.first.run(command, 300)
        self.assertEqual(0, status, f"{command}: {output}")
        return output

    def machine_time(self):
        return float(self.inside("date +%s.%N"))

    def facts(self):
        return json.loads(self.inside("python3 /opt/lab/inside/facts.py"))

    def running(self):
        return self.api.get("/health")[1]["load"]["running"]

    @staticmethod
    def of(facts, language):
        return [monitor for monitor in facts["monitors"] if monitor["language"] == language]

    def await_facts(self, fit):
        """Looks until the facts fit: the kernel tells nobody that a process has come."""
        deadline = time.monotonic() + 900
        while not fit(facts := self.facts()):
            if time.monotonic() > deadline:
                self.fail(f"it does not come about: {self.api.get('/health')[1]} {json.dumps(facts, indent=1)}")
        return facts

    def idle_facts(self):
        """The machine's facts when nothing runs and as many sandboxes wait as are to."""

        def is_idle():
            health = self.api.get("/health")[1]
            waiting = health["pool"]["languages"]
            return health["load"]["running"] == 0 and all(level["ready"] >= level["target"] > 0 for level in waiting)

        return self.await_facts(lambda facts: is_idle())


class AnswersTest(EngineTest):
    """What callers see."""

    def test_answers_the_seed_request(self):
        # its 30 seconds are those of a machine
        status, answer = self.api.post({**SEED_REQUEST, "timeout": CASE_SECONDS})
        self.assertEqual((200, SEED_ANSWER, "", 0), (status, answer.get("stdout"), answer.get("stderr"), answer.get("exit_code")))
        self.note("seed request", f"execution_time_ms {answer['execution_time_ms']}, memory_used_mb {answer['memory_used_mb']}")

    def test_says_what_isolates(self):
        status, health = self.api.get("/health")
        self.assertEqual((200, "firecracker", "hardware"), (status, health["backend"], health["isolation"]), health)

    def test_two_resumes_draw_different_random_values(self):
        for language, code in ENTROPY.items():
            with self.subTest(language):
                first, second = (self.api.run(language, code, timeout=240).split() for _ in range(2))
                self.assertEqual(len(first), len(second))
                for one, other in zip(first, second):
                    self.assertNotEqual(one, other)

    def test_two_resumes_have_the_right_time(self):
        for _ in range(2):
            before = self.machine_time()
            guest = float(self.api.run("python", NOW, timeout=240))
            self.assertTrue(before - 0.05 <= guest <= self.machine_time() + 0.05, f"{guest} is not after {before} and before now")


class BenchTest(EngineTest):
    """The harness that measures speed elsewhere."""

    def test_measures_here_too_and_says_that_it_is_an_emulation(self):
        with tempfile.TemporaryDirectory() as out:
            command = [ROOT / "dev", "bench", "--url", self.api.url, "--emulation", "--out", out]
            ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=BENCH_SECONDS)
            self.assertEqual(0, ended.returncode, ended.stdout)
            result = json.loads((Path(out) / "bench.json").read_text())
            self.assertIn("EMULATION", (Path(out) / "bench.svg").read_text())
        self.assertTrue(result["emulation"])
        self.assertEqual(("firecracker", "hardware"), (result["engine"]["backend"], result["engine"]["isolation"]))
        self.assertIn("EMULATION", ended.stdout)
        self.note("resume in the burst, p50 in ms", result["figures"]["burst.resume_p50_ms"])


class JailTest(EngineTest):
    """What the machine's kernel says."""

    def test_a_sandbox_is_jailed(self):
        facts = self.idle_facts()
        host = facts["host"]["namespaces"]
        self.assertNotEqual([], facts["monitors"])
        for monitor in facts["monitors"]:
            with self.subTest(pid=monitor["pid"]):
                self.assertEqual({"0" * 16}, set(monitor["capabilities"]))
                self.assertEqual({"1"}, set(monitor["no_new_privileges"]))
                self.assertEqual({"2"}, {mode for name, mode in monitor["seccomp"].items() if name.startswith(("firecracker", "fc_"))})
                self.assertEqual([], [name for name in ("mnt", "pid") if monitor["namespaces"][name] == host[name]])
                self.assertEqual([], [name for name in monitor["network_devices"] if name != "lo"])
                self.assertNotIn("0", monitor["uids"] + monitor["gids"] + monitor["groups"])
                self.assertLessEqual(set(monitor["device_nodes"]), {"dev/" + name for name in ("kvm", "net", "net/tun", "urandom", "userfaultfd")})
                self.assertEqual([], [name for name, limit in monitor["limits"].items() if limit.split()[0] == "max"])
                self.assertEqual("0", monitor["limits"]["memory.swap.max"])
                self.assertNotIn("unlimited", [monitor["rlimits"]["Max file size"], monitor["rlimits"]["Max open files"]])
        uids = [monitor["uids"][0] for monitor in facts["monitors"]]
        self.assertEqual(len(uids), len(set(uids)), "two sandboxes have one user")

    def test_an_idle_sandbox_has_little_memory_of_its_own(self):
        # What two of one template map alike is the template's; what only one maps is its own.
        facts = self.idle_facts()
        for language, most in IDLE_KIB.items():
            with self.subTest(language):
                own = [monitor["private_kib"] for monitor in self.of(facts, language)]
                self.note(f"memory of idle {language} sandboxes, KiB", own)
                self.assertGreaterEqual(len(own), 2)
                for memory in own:
                    self.assertLessEqual(memory["Private_Clean"] + memory["Private_Dirty"], most, memory)


class LossTest(EngineTest):
    """What is killed."""

    def test_a_killed_monitor_is_a_typed_failure_and_the_next_call_is_answered(self):
        call = Call(self.api, {"language": "bash", "code": "sleep 240", "timeout": 240})
        self.await_facts(lambda facts: self.of(facts, "bash") and self.running() == 1)
        self.inside("kill -9 $(pidof firecracker)")
        status, problem = call.answer()
        self.assertEqual((500, "sandbox_failed"), (status, problem.get("code")), problem)
        self.assertEqual("fine\n", self.api.run("bash", "echo fine", timeout=240))

    def test_a_killed_engine_leaves_nothing_that_its_next_start_does_not_remove(self):
        call = Call(self.api, {"language": "bash", "code": "sleep 240", "timeout": 240})
        before = self.await_facts(lambda facts: self.of(facts, "bash") and self.running() == 1)
        self.engine.kill()
        self.assertEqual(0, call.answer()[0], "an answer from an engine that was killed")
        self.engine.ensure_running()
        self.assertEqual("fine\n", self.api.run("bash", "echo fine", timeout=240))
        old = {monitor["pid"] for monitor in before["monitors"]}
        now = self.facts()
        self.assertEqual(set(), old & {monitor["pid"] for monitor in now["monitors"]})
        old_jails = {Path(monitor["cgroup"]).name for monitor in before["monitors"]}
        self.assertEqual(set(), old_jails & set(now["left"]["jails"]))
        self.assertEqual(set(), old_jails & {Path(cgroup).name for cgroup in now["left"]["cgroups"]})

    def test_a_stopped_engine_leaves_nothing(self):
        self.api.run("bash", "echo fine", timeout=240)
        self.engine.stop()
        self.assertEqual({}, {kind: left for kind, left in self.facts()["left"].items() if left})


def add_case(case):
    def test(self):
        self.assertEqual([], run_cases.run_case(case, slow_sender(self.api), SLACK_SECONDS))

    test.__doc__ = f"{case['id']}: {case.get('title', '')}"
    setattr(AnswersTest, "test_case_" + case["id"].replace("-", "_"), test)


def slow_sender(api):
    """Sends a case's requests with more time than they ask for."""
    send = run_cases.http_sender(api.url, SLACK_SECONDS, "list")

    def slowly(step):
        request = step.get("request")
        if step.get("expect", {}).get("timed_out"):
            step = run_cases.with_more_time(step, MORE_SECONDS)
        elif isinstance(request, dict):
            step = {**step, "request": {**request, "timeout": CASE_SECONDS}}
        return send(step)

    return slowly


def add_cases():
    cases = {case["id"]: case for case in run_cases.load(sorted(CASES.glob("*.jsonl")))}
    for name in SAMPLE:
        add_case(cases[name])


add_cases()
