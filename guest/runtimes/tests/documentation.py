"""What the README says of the variables that need a new process is what the interpreters look for."""

import pathlib
import re
import unittest

_RUNTIMES = pathlib.Path(__file__).parent.parent


def _words(path, begin, end, pattern):
    text = (_RUNTIMES / path).read_text()
    part = text[text.index(begin) : text.index(end, text.index(begin))]
    return re.findall(pattern, part)


class Documentation(unittest.TestCase):
    def test_the_readme_lists_the_variables_that_need_a_new_python(self):
        looked_for = _words("python/hexr_runtime/launch.py", "START_ONLY = (", "\n)\n", r'"([A-Z_]+)"')
        self.assertEqual(looked_for, _words("README.md", "| Python | `PYTHON`", "\n", "`([A-Z_]+)`"))

    def test_the_readme_lists_the_variables_that_need_a_new_nodejs(self):
        looked_for = _words("node/park.cjs", "START_ONLY = [", "]", r"'([A-Z_]+)'")
        listed = _words("README.md", "| Node.js | `NODE_`", "\n", "`([A-Z_]+)`")
        self.assertEqual(looked_for, [name for name in listed if name != "NODE_ENV"])


def suite():
    return unittest.defaultTestLoader.loadTestsFromTestCase(Documentation)
