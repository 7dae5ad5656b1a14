#!/usr/bin/env python3
"""The agent as pid 1 of a microVM's kernel: a real Firecracker, real snapshots, many resumes of each.

Runs in the lab (lab/README.md), or wherever there is a KVM, as root:

  ./dev lab --share guest/agent/test --run guest/agent/test/vm/run

Needs FIRECRACKER_BIN, GUEST_KERNEL and GUEST_IMAGE. Deadlines are those of an emulated machine.
"""

import json
import struct
import time
import unittest

import microvm
from agent_client import FAILURE, OUT_OF_MEMORY, STDOUT, TIMED_OUT, Limits
from microvm import MicroVm, Template

MIB = 1 << 20
SPACE = Limits(memory=128 * MIB, wall_ms=600_000, processes=64)


def limits(**changed):
    return Limits(**{**vars(SPACE), **changed})


class OfOneTemplate(unittest.TestCase):
    language = None

    @classmethod
    def setUpClass(cls):
        cls.template = Template(cls.language)
        print(f"{cls.language}: parked after {cls.template.parked_after:.1f} s", flush=True)

    @classmethod
    def tearDownClass(cls):
        cls.template.close()

    def run_in(self, vm, code, stdin=b"", **request):
        """A whole run, to the guest's end."""
        guest = vm.connect(self.language)
        guest.resume()
        guest.describe(code, **{"limits": SPACE, **request})
        guest.start()
        guest.feed(stdin)
        try:
            result = guest.result()
        except EOFError:
            self.fail(f"the guest is gone: {vm.process.poll()} {vm.log.read_text()}")
        guest.socket.close()
        self.assertEqual(0, vm.ended(), vm.log.read_text())
        self.assertIsNone(result.failure)
        return result

    def run_code(self, code, **request):
        with self.template.resume() as vm:
            return self.run_in(vm, code, **request)


class Bash(OfOneTemplate):
    language = "bash"

    def test_a_run_is_told_as_in_a_container(self):
        result = self.run_code('cat; echo err >&2; echo 1 >new; exit 7', stdin=b"in\n", globs=["*"])
        self.assertEqual((b"in\n", b"err\n", False, 7, 0), (result.stdout, result.stderr, result.signaled, result.status, result.flags))
        self.assertEqual({"new": b"1\n"}, result.artifacts)
        self.assertTrue(100_000 < result.peak < 32 * MIB, result.peak)

    def test_two_resumes_differ_in_what_is_random_and_know_the_time(self):
        seen = []
        for _ in range(2):
            with self.template.resume() as vm:
                guest = vm.connect("bash")
                before = time.time()
                version, clock = struct.unpack_from("<IQ", ready := guest.resume())
                self.assertEqual(1, version)
                self.assertTrue(before - 1 <= clock / 1e9 <= time.time() + 1, (before, clock, time.time()))
                guest.describe("head -c 16 /dev/urandom | xxd -p; date +%s", limits=SPACE)
                guest.start()
                random, now = guest.result().stdout.split()
                self.assertLess(abs(int(now) - time.time()), 20)
                seen += [ready[12:], random]
        self.assertEqual(4, len(set(seen)), seen)

    def test_memory_beyond_the_limit_is_a_kill_that_is_told(self):
        result = self.run_code("exec python3 -c 'bytearray(100 << 20)'", limits=limits(memory=64 * MIB))
        self.assertEqual((True, 9, OUT_OF_MEMORY), (result.signaled, result.status, result.flags))
        self.assertTrue(60 * MIB < result.peak <= 68 * MIB, result.peak)

    def test_memory_within_the_limit_is_there(self):
        result = self.run_code("exec python3 -c 'print(len(bytearray(100 << 20)))'")
        self.assertEqual((b"104857600\n", 0, 0), (result.stdout, result.status, result.flags), result.stderr)
        self.assertTrue(100 * MIB < result.peak <= 130 * MIB, result.peak)

    def test_memory_that_the_machine_itself_has_not_is_told_alike(self):
        code = "held = []\nwhile True: held.append(bytearray(1 << 20))"
        result = self.run_code(f"exec python3 -c '{code}'", limits=limits(memory=4 << 30))
        self.assertEqual((True, 9, OUT_OF_MEMORY), (result.signaled, result.status, result.flags), result.stderr)

    def test_a_child_that_is_killed_for_memory_is_told_although_the_program_goes_on(self):
        result = self.run_code("python3 -c 'bytearray(100 << 20)'; echo $?", limits=limits(memory=64 * MIB))
        self.assertEqual((b"137\n", False, 0, OUT_OF_MEMORY), (result.stdout, result.signaled, result.status, result.flags))

    def test_files_of_the_request_and_of_the_program_count_as_its_memory(self):
        given = self.run_code("true", files=[("big", bytes(20 * MIB))], limits=limits(workspace=32 * MIB))
        self.assertGreater(given.peak, 20 * MIB)
        written = self.run_code("head -c 20M /dev/zero >big", limits=limits(workspace=32 * MIB))
        self.assertGreater(written.peak, 20 * MIB)

    def test_the_deadline_ends_a_busy_program_and_keeps_its_output(self):
        result = self.run_code("echo on; while :; do :; done", limits=limits(wall_ms=30_000))
        self.assertEqual((b"on\n", True, 9, TIMED_OUT), (result.stdout, result.signaled, result.status, result.flags))

    def test_a_fork_bomb_ends_at_its_deadline(self):
        result = self.run_code("bomb() { bomb | bomb & }; bomb; while :; do :; done", limits=limits(wall_ms=5000))
        self.assertEqual((True, 9, TIMED_OUT), (result.signaled, result.status, result.flags))
        self.assertLess(result.wall_s, 300)

    def test_processes_are_bounded_twice(self):
        code = "import os\nfor n in range(99):\n  try:\n    os.fork() or os.read(0, 1)\n  except OSError: print(n); break"
        with self.template.resume() as vm:
            guest = vm.connect("bash")
            guest.resume()
            guest.describe(f"exec python3 -c '{code}'", limits=limits(processes=16))
            guest.start()
            kind, payload = guest.receive()
        self.assertEqual((STDOUT, b"15\n"), (kind, payload))

    def test_hanging_up_ends_the_guest_in_every_state(self):
        def connected(guest):
            guest.resume()

        def running(guest):
            guest.resume()
            guest.describe("echo on; sleep 1000", limits=limits(wall_ms=1_000_000))
            guest.start()
            guest.expect(STDOUT)

        for state in (connected, running):
            with self.subTest(state.__name__), self.template.resume() as vm:
                guest = vm.connect("bash")
                state(guest)
                guest.socket.close()
                self.assertEqual(0, vm.ended())

    def test_a_connection_that_brings_no_resume_is_dropped_and_the_next_one_served(self):
        with self.template.resume() as vm:
            vm.connect("bash").socket.close()
            half = vm.connect("bash")
            half.socket.sendall(b"\x01\x4c\0\0\0half")
            half.socket.close()
            silent = vm.connect("bash")
            self.assertEqual(b"served\n", self.run_in(vm, "echo served").stdout)
            self.assertTrue(microvm.has_hung_up(silent))

    def test_a_frame_other_than_resume_ends_the_guest(self):
        with self.template.resume() as vm:
            guest = vm.connect("bash")
            guest.send(STDOUT)
            self.assertEqual(2, guest.result().failure[0])
            guest.socket.close()
            vm.ended()

    def test_limits_without_memory_are_refused(self):
        with self.template.resume() as vm:
            guest = vm.connect("bash")
            guest.resume()
            guest.describe("true", limits=limits(memory=0))
            code, text = guest.result().failure
            self.assertEqual((1, True), (code, "memory limit" in text), text)

    def test_the_program_sees_what_it_sees_in_a_container_and_nothing_of_the_machine(self):
        result = self.run_code(LOOK)
        seen = json.loads(result.stdout)
        for name, expected in EXPECTED.items():
            with self.subTest(name):
                self.assertEqual(expected, seen[name])
        self.assertFalse([mount for mount in seen["mounts"] if mount.startswith(("/cgroup", "/root", "/modules"))])


LOOK = r"""exec python3 - <<'PYTHON'
import errno, json, os, pathlib, socket

def read(path):
    try:
        return pathlib.Path(path).read_text().strip()
    except OSError as error:
        return errno.errorcode[error.errno]

def refused(action, *arguments):
    try:
        action(*arguments)
    except OSError as error:
        return errno.errorcode[error.errno]

def knob(name):
    return read("/proc/sys/" + name)

seen = {
    "dev": sorted(os.listdir("/dev")),
    "sys": sorted(os.listdir("/sys")),
    "cpus": [read("/sys/devices/system/cpu/online"), os.cpu_count()],
    "processes": sorted(name for name in os.listdir("/proc") if name.isdigit())[:2],
    "init": [read("/proc/1/environ"), read("/proc/1/comm")],
    "hidden": [read("/proc/" + name) for name in ("modules", "partitions", "diskstats", "interrupts", "kallsyms", "keys")],
    "mounts": [line.split()[1] for line in open("/proc/mounts")],
    "host": [os.uname().nodename, socket.gethostname(), knob("kernel/domainname")],
    "knobs": [knob(name) for name in (
        "kernel/modprobe", "kernel/modules_disabled", "kernel/kexec_load_disabled", "kernel/unprivileged_bpf_disabled",
        "kernel/io_uring_disabled", "kernel/perf_event_paranoid", "kernel/dmesg_restrict", "kernel/kptr_restrict",
        "kernel/sysrq", "kernel/panic_on_oops", "user/max_user_namespaces", "vm/unprivileged_userfaultfd")],
    "interfaces": [name for _, name in socket.if_nameindex()],
    "refused": [
        refused(socket.socket, socket.AF_VSOCK, socket.SOCK_STREAM),
        refused(os.open, "/dev/pts/0", os.O_RDWR),
        refused(os.open, "/sys/kernel/new", os.O_CREAT),
        refused(os.open, "/usr/new", os.O_CREAT),
        refused(os.open, "/dev/new", os.O_CREAT),
        refused(os.kill, 1, 9),
    ],
    "directories": [read("/proc/self/cgroup"), os.getcwd(), os.listdir("/run"), os.listdir("/tmp")],
}
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname(), 10).close()
seen["terminal"] = os.ttyname(os.openpty()[1])
print(json.dumps(seen))
PYTHON
"""

EXPECTED = {
    "dev": "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero".split(),
    "sys": "block bus class dev devices firmware fs kernel module power".split(),
    "cpus": ["0", 1],
    "processes": ["1", "2"],
    "init": ["EACCES", "init"],
    "hidden": [""] * 6,
    "host": ["sandbox", "sandbox", "(none)"],
    "knobs": ["", "1", "1", "1", "2", "3", "1", "2", "0", "1", "0", "0"],
    "interfaces": ["lo"],
    "refused": ["EAFNOSUPPORT", "ENOENT", "EROFS", "EROFS", "EACCES", "EPERM"],
    "directories": ["0::/program", "/workspace", [], []],
    "terminal": "/dev/pts/0",
}


class Python(OfOneTemplate):
    language = "python"

    def test_a_parked_interpreter_counts_as_the_programs_memory_and_leaves_it_its_own(self):
        code = "import pandas\nprint(len(bytearray(40 << 20)), pandas.DataFrame({'a': [1, 2]}).a.sum())"
        result = self.run_code(code, limits=limits(memory=64 * MIB))
        self.assertEqual((b"41943040 3\n", 0, 0), (result.stdout, result.status, result.flags), result.stderr)
        print(f"Python, parked and 40 MiB: peak {result.peak / MIB:.1f} MiB", flush=True)
        self.assertTrue(80 * MIB < result.peak < 180 * MIB, result.peak)

    def test_memory_beyond_the_limit_is_a_kill_that_is_told(self):
        result = self.run_code("bytearray(72 << 20)", limits=limits(memory=64 * MIB))
        self.assertEqual((True, 9, OUT_OF_MEMORY), (result.signaled, result.status, result.flags))

    def test_two_resumes_differ_in_what_is_random_and_know_the_time(self):
        code = "import os, random, time, uuid, numpy\nprint(random.random(), numpy.random.rand(), uuid.uuid4(), time.time())"
        seen = []
        for _ in range(2):
            *random, now = self.run_code(code).stdout.split()
            self.assertLess(abs(float(now) - time.time()), 60)
            seen += random
        self.assertEqual(6, len(set(seen)), seen)


class Boot(unittest.TestCase):
    def test_a_guest_that_cannot_start_says_why_and_ends(self):
        with MicroVm() as vm:
            vm.boot("bash", drive=None)
            kind, payload = vm.heard()
            self.assertEqual((FAILURE, 1), (kind, payload[0]), payload)
            self.assertIn(b"/dev/vda", payload)
            self.assertEqual(0, vm.ended())
            self.assertIn("/dev/vda", vm.log.read_text())

    def test_an_unknown_language_ends_the_guest(self):
        with MicroVm() as vm:
            vm.boot("cobol")
            self.assertEqual(0, vm.ended())
            self.assertIn("usage", vm.log.read_text())


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=2).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    raise SystemExit(failed > 0)
