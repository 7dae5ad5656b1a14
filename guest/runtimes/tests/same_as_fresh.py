"""A parked interpreter runs every script as a fresh one does: same output, same errors, same status."""

import concurrent.futures
import difflib
import re
import unittest

import corpus
import natively


def _comparable(text):
    """Without what differs between any two runs: durations, addresses, and process ids in Node.js's warnings."""
    text = re.sub(rb"\bin \d+\.\d+s\b", b"in Ns", text)
    text = re.sub(rb"0x[0-9a-f]{6,}", b"0x", text)
    return re.sub(rb"\(node:\d+\)", b"(node:N)", text).decode(errors="backslashreplace").splitlines()


def suite(root, parked, chosen):
    """`parked`: for each language, something with run(case); `chosen`: tells by its sentence whether a test is wanted.

    Runs two cases at a time, so that a second core is of use.
    """
    executor = concurrent.futures.ThreadPoolExecutor(2)
    tests = unittest.TestSuite()
    for language, interpreter in parked.items():
        for name, case in corpus.cases(language).items():
            sentence = f"{language} runs {name} as a fresh interpreter does"
            if chosen(sentence):
                plain = executor.submit(natively.run_plain, root, case)
                tests.addTest(_comparison(sentence, plain, executor.submit(interpreter.run, case)))
    return tests


def _comparison(sentence, plain, parked):
    class SameAsFresh(unittest.TestCase):
        maxDiff = None

        def runTest(self):
            expected, actual = plain.result(), parked.result()
            for stream in ("stdout", "stderr"):
                lines = (_comparable(getattr(expected, stream)), _comparable(getattr(actual, stream)))
                if lines[0] != lines[1]:
                    self.fail("\n".join(_short(difflib.unified_diff(*lines, "fresh", f"parked {stream}", n=0, lineterm=""))))
            self.assertEqual(expected.status, actual.status)

        def __str__(self):
            return sentence

    return SameAsFresh()


def _short(lines):
    for line in lines:
        yield line if len(line) < 2000 else f"{line[:2000]} ... ({len(line)} characters)"
