"""Tests of Shell, with a bash of this host at the other end instead of one in the machine."""

import os
import socket
import subprocess
import sys
import tempfile
import unittest

from machine import LabError, Shell


class ShellTest(unittest.TestCase):
    def setUp(self):
        here, there = socket.socketpair()
        self.addCleanup(here.close)
        self.bash = subprocess.Popen(["bash", "--noprofile", "--norc"], stdin=there, stdout=there, stderr=there)
        self.addCleanup(self.bash.wait)
        self.addCleanup(self.bash.kill)
        there.close()
        self.shell = Shell("first", here)

    def test_gives_output_and_status_of_one_command_after_the_other(self):
        self.assertEqual((3, "out\nerr\n"), self.shell.run("echo out; echo err >&2; (exit 3)", 10))
        self.assertEqual((0, ""), self.shell.run("true", 10))

    def test_keeps_directory_and_variables(self):
        self.shell.run("cd /usr; x='a  b'", 10)
        self.assertEqual((0, "/usr a  b\n"), self.shell.run('echo "$PWD $x"', 10))

    def test_survives_what_is_no_command(self):
        self.assertEqual(2, self.shell.run("echo 'it'; syntax ( error", 10)[0])
        self.assertEqual((0, "still there\n"), self.shell.run("echo still there", 10))

    def test_gives_a_program_no_input(self):
        self.assertEqual((0, "0\n"), self.shell.run("wc -c", 10))

    def test_passes_on_every_byte(self):
        self.assertEqual((0, "\0a\0\0b\0"), self.shell.run(r"printf '\0a\0\0b\0'", 10))
        self.assertEqual(300_000, len(self.shell.run("head -c 300000 /dev/zero", 10)[1]))

    def test_passes_on_output_as_it_comes(self):
        with tempfile.TemporaryDirectory() as directory:
            fifo = os.path.join(directory, "fifo")
            os.mkfifo(fifo)

            def answer(output):
                pieces.append(output)
                if output == b"first\n":
                    with open(fifo, "w") as answers:
                        answers.write("second\n")

            pieces = []
            # would not end, had its first line to wait for its end
            self.assertEqual(0, self.shell.run(f"echo first; cat {fifo}", 10, answer)[0])
            self.assertEqual(b"first\nsecond\n", b"".join(pieces))

    def test_a_command_that_does_not_end_is_given_up(self):
        with self.assertRaisesRegex(LabError, "has not ended in time: cat"):
            self.shell.run("cat <&2", 0.2)

    def test_an_end_of_the_machine_is_told(self):
        with self.assertRaisesRegex(LabError, "went away during: kill"):
            self.shell.run("kill -9 $$", 10)
        with self.assertRaises(LabError):
            self.shell.run("true", 10)


result = unittest.main(verbosity=2, exit=False).result
failed = len(result.failures) + len(result.errors)
print(f"{result.testsRun - failed} passed, {failed} failed")
sys.exit(failed > 0)
