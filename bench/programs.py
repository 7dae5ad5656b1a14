"""What is run: short programs whose whole time is starting and answering, and kernels that measure themselves."""

from dataclasses import dataclass

# As `-c` or `-e` takes them, so that no side needs a file.
INTERPRETERS = {
    "python": ("/usr/bin/python3", "-c"),
    "javascript": ("/usr/local/bin/node", "-e"),
    "bash": ("/bin/bash", "-c"),
}


@dataclass(frozen=True)
class Program:
    name: str
    language: str
    code: str
    stdout: str

    def request(self):
        return {"language": self.language, "code": self.code}

    def command(self):
        return [*INTERPRETERS[self.language], self.code]


# The first request in the README.
PANDAS = "import pandas as pd\nprint(pd.DataFrame({'a': [1,2,3]}).describe())"

PROGRAMS = (
    Program("python-print", "python", "print(1+1)", "2\n"),
    Program("python-pandas", "python", PANDAS, "max    3.0\n"),
    Program("node-log", "javascript", "console.log(1)", "1\n"),
    Program("bash-echo", "bash", "echo 1", "1\n"),
)
BY_NAME = {program.name: program for program in PROGRAMS}

# A kernel prints the seconds that it took, so that starts do not count. One thread: a sandbox has one processor by default.
KERNELS = (
    Program(
        "loop",
        "python",
        """\
from time import perf_counter
start = perf_counter()
total = 0
for i in range(3_000_000):
    total += i * i % 7
print(perf_counter() - start)
""",
        "",
    ),
    Program(
        "numpy",
        "python",
        """\
from time import perf_counter
import numpy
values = numpy.random.default_rng(1).random(1_000_000)
start = perf_counter()
for _ in range(3):
    numpy.sort(values)
    numpy.exp(values).sum()
    numpy.fft.rfft(values)
print(perf_counter() - start)
""",
        "",
    ),
)
