"""What a parked interpreter does better than a plain one: no output is lost, and lines go out as they end."""

import unittest

from natively import Case


def suite(parked):
    class Streams(unittest.TestCase):
        def run_javascript(self, code, environment=None):
            return parked["javascript"].run(Case("javascript", code.encode(), environment=environment or {}))

        def test_nodejs_loses_nothing_that_was_written_before_process_exit(self):
            for size, environment in ((400_000, {}), (3_000_000, {}), (3_000_000, {"NODE_OPTIONS": "--no-warnings"})):
                code = f"process.stdout.write('y'.repeat({size}) + 'END'); process.exit(5);"
                result = self.run_javascript(code, environment)
                self.assertEqual((b"y" * size + b"END", b"", 5), (result.stdout, result.stderr, result.status))

        def test_nodejs_loses_no_line_before_process_exit(self):
            result = self.run_javascript(
                "for (let i = 0; i < 60000; i++) console.log('line', i); console.error('last'); process.exit();"
            )
            expected = b"".join(b"line %d\n" % i for i in range(60000))
            self.assertEqual((expected, b"last\n", 0), (result.stdout, result.stderr, result.status))

        def test_python_writes_each_line_when_it_ends(self):
            for environment in ({}, {"PYTHONHASHSEED": "1"}):
                code = b"import os\nprint('line')\nprint('part', end='')\nos._exit(3)\n"
                result = parked["python"].run(Case("python", code, environment=environment))
                self.assertEqual((b"line\n", 3), (result.stdout, result.status))

    return unittest.defaultTestLoader.loadTestsFromTestCase(Streams)
