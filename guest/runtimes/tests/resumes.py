"""Two resumes of one template have nothing in common that a fresh interpreter would draw or read anew.

Each hazard of docs/resume-hazards.md that concerns an interpreter has its probe here. A probe prints one value a line:
`name value`.
"""

import time
import unittest

from natively import Case

_PYTHON = b"""
import email.utils, multiprocessing, os, random, secrets, sqlite3, ssl, tempfile, uuid
import numpy as np, pandas as pd, scipy.stats
def say(name, value): print(name, value)
say("random", random.random())
say("random.SystemRandom", random.SystemRandom().random())
say("random.gauss", random.gauss(0, 1))
say("os.urandom", os.urandom(8).hex())
say("secrets", secrets.token_hex(8))
say("uuid1", uuid.uuid1())
say("uuid4", uuid.uuid4())
say("uuid.getnode", uuid.getnode())
say("tempfile", tempfile.mkdtemp())
say("ssl", ssl.RAND_bytes(8).hex())
say("sqlite3", sqlite3.connect(":memory:").execute("select random()").fetchone())
say("multiprocessing", bytes(multiprocessing.current_process().authkey).hex())
say("email", email.utils.make_msgid())
say("numpy.random", np.random.rand())
say("numpy.random.state", np.random.get_state()[1].tolist())
say("numpy.random.RandomState", np.random.RandomState().rand())
say("numpy.random.default_rng", np.random.default_rng().random())
say("scipy.stats", scipy.stats.norm.rvs())
say("pandas", pd.Series(range(10**6)).sample(2).tolist())
"""
_JAVASCRIPT = b"""
const { randomBytes, randomInt, randomUUID, webcrypto, generateKeyPairSync } = require('crypto');
const vm = require('vm'), fs = require('fs'), { Worker } = require('worker_threads');
const say = (name, value) => console.log(name, value);
say('Math.random', Math.random());
say('Math.random in a context', vm.runInNewContext('Math.random()'));
say('randomBytes', randomBytes(8).toString('hex'));
say('randomInt', randomInt(2 ** 40));
say('randomUUID', randomUUID());
say('getRandomValues', webcrypto.getRandomValues(new Uint32Array(2)).join());
say('key', generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).toString('hex'));
say('mkdtemp', fs.mkdtempSync('/tmp/x'));
new Worker("const { parentPort } = require('worker_threads');" +
  "parentPort.postMessage([Math.random(), crypto.randomUUID()].join())", { eval: true })
  .on('message', (drawn) => say('worker', drawn));
randomBytes(8, (_, bytes) => say('randomBytes in the background', bytes.toString('hex')));
"""
_BASH = b"""
echo "RANDOM $RANDOM$RANDOM"
(echo "RANDOM-of-a-subshell $RANDOM$RANDOM")
echo "SRANDOM $SRANDOM"
echo "mktemp $(mktemp)"
echo "EPOCHREALTIME $EPOCHREALTIME"
echo "uuid $(cat /proc/sys/kernel/random/uuid)"
"""
# Wall clock, and how old the process believes to be.
_PYTHON_CLOCKS = b"""
import logging, time
print(time.time(), logging.LogRecord("a", 10, "p", 1, "m", (), None).relativeCreated / 1e3)
"""
_JAVASCRIPT_CLOCKS = b"console.log((performance.timeOrigin + performance.now()) / 1e3, process.uptime());\n"
_BASH_CLOCKS = b'echo "$EPOCHREALTIME $SECONDS"'
_SECONDS_BETWEEN = 6


def suite(root, parked):
    class Resumes(unittest.TestCase):
        def values(self, language, code):
            result = parked[language].run(Case(language, code))
            self.assertEqual((b"", 0), (result.stderr, result.status), result)
            return dict(line.split(" ", 1) for line in sorted(result.stdout.decode().splitlines()))

        def assert_all_differ(self, language, code):
            first, second = self.values(language, code), self.values(language, code)
            self.assertEqual(first.keys(), second.keys())
            self.assertGreater(len(first), 5)
            self.assertEqual([], [name for name in first if first[name] == second[name]])

        def test_two_resumes_of_python_draw_nothing_alike(self):
            self.assert_all_differ("python", _PYTHON)

        def test_two_resumes_of_nodejs_draw_nothing_alike(self):
            self.assert_all_differ("javascript", _JAVASCRIPT)

        def test_two_resumes_of_bash_draw_nothing_alike(self):
            self.assert_all_differ("bash", _BASH)

        def test_a_process_resumed_later_is_as_young_and_has_the_time_of_day(self):
            # The age of the template is what is tested here; no event marks it.
            made = time.monotonic()
            clocks = {"python": _PYTHON_CLOCKS, "javascript": _JAVASCRIPT_CLOCKS, "bash": _BASH_CLOCKS}
            for language, code in clocks.items():
                time.sleep(max(0, made + _SECONDS_BETWEEN - time.monotonic()))
                with self.subTest(language):
                    before = time.time()
                    result = parked[language].run(Case(language, code))
                    wall, age = map(float, result.stdout.split())
                    self.assertTrue(before - 0.5 <= wall <= time.time() + 0.5, (before, wall))
                    self.assertLess(age, _SECONDS_BETWEEN)

    return unittest.defaultTestLoader.loadTestsFromTestCase(Resumes)
