"""Runs all tests of the parked interpreters; see test.sh."""

import contextlib
import os
import sys
import unittest

import documentation
import natively
import resumes
import same_as_fresh
import streams
import under_gvisor


class _Natively:
    def __init__(self, root):
        self._root = root

    def run(self, case):
        return natively.run_parked(self._root, case)


def main(root, only=""):
    with contextlib.ExitStack() as stack:
        parked = {language: _Natively(root) for language in natively.PLAIN}
        tests = unittest.TestSuite([documentation.suite()])
        if os.environ.get("RUNSC_BIN"):
            parked = {
                language: stack.enter_context(under_gvisor.Template(root, language)) for language in natively.PLAIN
            }
            tests.addTest(resumes.suite(root, parked))
        else:
            print("RUNSC_BIN is not set: interpreters are parked on this machine's kernel, and none is resumed twice")
        tests.addTest(streams.suite(parked))
        tests = unittest.TestSuite(test for test in _flat(tests) if only in str(test))
        tests.addTest(same_as_fresh.suite(root, parked, lambda sentence: only in sentence))
        result = unittest.TextTestRunner(sys.stdout, verbosity=2).run(tests)
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad} passed, {bad} failed")
    return 1 if bad or not result.testsRun else 0


def _flat(tests):
    for test in tests:
        yield from _flat(test) if isinstance(test, unittest.TestSuite) else (test,)


sys.exit(main(*sys.argv[1:]))
