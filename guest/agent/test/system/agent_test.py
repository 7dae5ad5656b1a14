#!/usr/bin/env python3
"""The agent on this machine's own kernel, with Bash and a stand-in for a parked interpreter. As root.

What gVisor adds is tested with the engine; here the agent meets Linux as a microVM's guest has it. Nothing here may fork
or write without bound: the only limits are those that the agent sets itself.
"""

import hashlib
import re
import signal
import unittest

import agent_client
from agent_client import STDERR_TRUNCATED, STDOUT_TRUNCATED, TIMED_OUT, Limits, Sandbox, run

# Milliseconds for programs that are to run out of their time, and on a busy machine print something before
SHORT = 3000
# Seconds within which all such ends come there, too; the programs would go on for longer
SOON = 15


class Ends(unittest.TestCase):
    def test_the_exit_status_is_the_programs_own(self):
        result = run("exit 7")
        self.assertEqual((False, 7, 0), (result.signaled, result.status, result.flags))

    def test_a_death_by_signal_is_told_with_its_signal(self):
        for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM):
            result = run(f"kill -{number.value} $$")
            self.assertEqual((True, number.value, 0), (result.signaled, result.status, result.flags))

    def test_killing_everything_in_sight_kills_only_the_program(self):
        result = run("echo bye; kill -9 -1; exit 3")
        self.assertEqual((b"bye\n", False, 3), (result.stdout, result.signaled, result.status))

    def test_a_background_process_that_holds_stdout_does_not_delay_the_end(self):
        result = run("setsid sleep 300 & (sleep 300 &) ; echo started")
        self.assertEqual(b"started\n", result.stdout)
        self.assertLess(result.wall_s, SOON)

    def test_what_a_background_process_wrote_before_the_end_is_kept(self):
        code = "mkfifo done; (echo child; echo >done; exec sleep 300) & read <done; echo parent"
        self.assertEqual(b"child\nparent\n", run(code).stdout)

    def test_what_filters_of_the_output_write_after_the_end_is_kept(self):
        result = run("exec > >(sed 's/^/out: /') 2> >(sed 's/^/err: /' >&2); echo one; echo two >&2; exit 7")
        self.assertEqual((b"out: one\n", b"err: two\n", 7), (result.stdout, result.stderr, result.status))

    def test_who_outlives_the_program_has_a_moment_that_is_not_the_programs_time(self):
        result = run("(trap '' TERM; for i in {1..300}; do echo $i; sleep 0.1; done) & exit 4", limits=Limits(wall_ms=2 * SHORT))
        self.assertEqual((False, 4, 0), (result.signaled, result.status, result.flags))
        self.assertLess(result.stdout.count(b"\n"), 100)

    def test_the_deadline_cuts_the_moment_short_and_is_no_timeout_of_the_program(self):
        runs = (run("(sleep 0.42; echo too late) & exit 5", limits=Limits(wall_ms=300)) for _ in range(10))
        # a program that the machine itself kept from ending in time shows nothing
        result = next(result for result in runs if not result.flags & TIMED_OUT)
        self.assertEqual((b"", False, 5, 0), (result.stdout, result.signaled, result.status, result.flags))

    def test_the_deadline_ends_a_busy_program_and_keeps_its_output(self):
        result = run("echo spinning; while :; do :; done", limits=Limits(wall_ms=SHORT))
        self.assertEqual((b"spinning\n", True, 9, TIMED_OUT), (result.stdout, result.signaled, result.status, result.flags))
        self.assertTrue(SHORT / 1000 <= result.wall_s < SOON, result.wall_s)
        self.assertGreater(result.cpu_s, 0.02)

    def test_the_deadline_ends_a_program_that_ignores_signals_or_stopped_itself(self):
        for code in ("trap '' {1..31} 2>/dev/null; while :; do sleep 1; done", "kill -STOP 0; echo thawed"):
            result = run("echo on; " + code, limits=Limits(wall_ms=SHORT))
            self.assertEqual((b"on\n", TIMED_OUT), (result.stdout, result.flags))
            self.assertLess(result.wall_s, SOON)

    def test_the_deadline_ends_the_whole_tree(self):
        before = agent_client.count_sleeps()
        run("bash -c \"bash -c 'sleep 4242; :'; :\"; echo never", limits=Limits(wall_ms=300))
        self.assertEqual(before, agent_client.count_sleeps())

    def test_cpu_time_counts_children_that_nobody_waited_for(self):
        result = run("(while :; do :; done) & sleep 0.7; exit 0")
        self.assertGreater(result.cpu_s, 0.02)

    def test_a_command_that_is_too_long_ends_as_in_a_shell(self):
        result = run("true", args=["x" * 200_000])
        self.assertEqual((126, b"/bin/bash: Argument list too long\n"), (result.status, result.stderr))


class Streams(unittest.TestCase):
    def test_stdin_arrives_whole_and_ends(self):
        self.assertEqual(b"3000000\n", run("wc -c", stdin=b"x" * 3_000_000).stdout)

    def test_a_slow_reader_gets_all_of_it(self):
        self.assertEqual(b"3000000\n", run("sleep 0.5; wc -c", stdin=b"x" * 3_000_000).stdout)

    def test_stdin_that_is_not_read_blocks_nothing(self):
        for code in ("echo no thanks", "exec 0<&-; sleep 0.2; echo no thanks"):
            self.assertEqual(b"no thanks\n", run(code, stdin=b"x" * 3_000_000).stdout)

    def test_stdin_that_is_not_read_does_not_move_the_deadline(self):
        result = run("sleep 60", stdin=b"x" * 3_000_000, limits=Limits(wall_ms=500))
        self.assertEqual(TIMED_OUT, result.flags)
        self.assertLess(result.wall_s, SOON)

    def test_output_up_to_the_cap_is_whole_and_not_truncated(self):
        result = run("head -c 1000 /dev/zero; head -c 2000 /dev/zero >&2", limits=Limits(stdout=1000, stderr=2000))
        self.assertEqual((bytes(1000), bytes(2000), 0), (result.stdout, result.stderr, result.flags))

    def test_beyond_the_cap_the_head_is_kept_the_rest_counted_and_the_program_runs_on(self):
        result = run("echo head; head -c 3000000 /dev/zero; echo e >&2; exit 4", limits=Limits(stdout=5))
        self.assertEqual((b"head\n", b"e\n", 4), (result.stdout, result.stderr, result.status))
        self.assertEqual((3_000_005, STDOUT_TRUNCATED), (result.stdout_bytes, result.flags))

    def test_each_stream_has_its_own_cap(self):
        result = run("echo out; echo err >&2", limits=Limits(stderr=0))
        self.assertEqual((b"out\n", b"", STDERR_TRUNCATED), (result.stdout, result.stderr, result.flags))

    def test_a_flood_on_both_streams_ends_at_the_deadline(self):
        result = run("yes & yes >&2", limits=Limits(wall_ms=SHORT))
        self.assertEqual(TIMED_OUT | STDOUT_TRUNCATED | STDERR_TRUNCATED, result.flags)
        self.assertLess(result.wall_s, SOON)

    def test_the_streams_can_be_opened_by_name(self):
        result = run("echo one >/dev/stdout; echo two >>/dev/stderr; cat /dev/stdin", stdin=b"typed\n")
        self.assertEqual((b"one\ntyped\n", b"two\n"), (result.stdout, result.stderr))

    def test_a_pipe_takes_a_mebibyte_at_once(self):
        code = "import fcntl; print([fcntl.fcntl(fd, 1032) for fd in (0, 1, 2)])"
        self.assertEqual(b"[1048576, 1048576, 1048576]\n", run(f"python3 -c '{code}'").stdout)


class Surroundings(unittest.TestCase):
    def test_arguments_arrive_unchanged(self):
        result = run('printf "<%s>" "$@"', args=["a b", "", "é✓", "$HOME", "-x", "l1\nl2"])
        self.assertEqual("<a b><><é✓><$HOME><-x><l1\nl2>".encode(), result.stdout)

    def test_the_environment_is_the_default_one_and_the_requests(self):
        lines = run("env -0 | sort -z | tr '\\0' '\\n'", env=["LANG=C", "A=x=y", "EMPTY="]).stdout.decode().split("\n")
        shell = {"SHLVL", "_", "OLDPWD", ""}
        names = {line.split("=")[0] for line in lines} - shell
        self.assertEqual(
            {"A", "EMPTY", "HOME", "LANG", "LOGNAME", "MPLCONFIGDIR", "PATH", "PWD", "SHELL", "USER"}, names
        )
        self.assertTrue({"LANG=C", "A=x=y", "EMPTY=", "HOME=/workspace"} <= set(lines))

    def test_the_program_is_an_ordinary_user_without_privileges(self):
        status = dict(
            line.split(":\t", 1) for line in run("cat /proc/self/status").stdout.decode().splitlines() if ":\t" in line
        )
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual("0000000000000000", status[name], name)
        self.assertEqual(["1000"] * 4, status["Uid"].split())
        self.assertEqual(["1000"] * 4, status["Gid"].split())
        self.assertEqual(("", "1", "2"), (status["Groups"].strip(), status["NoNewPrivs"], status["Seccomp"]))
        self.assertEqual("0022", status["Umask"])

    def test_signals_are_at_their_defaults(self):
        self.assertEqual(b"141 0\n", run('yes | head -n 1 >/dev/null; echo "${PIPESTATUS[@]}"').stdout)
        masks = run("exec cat /proc/self/status").stdout
        self.assertEqual([b"0" * 16] * 3, re.findall(rb"Sig(?:Blk|Ign|Cgt):\t(\w+)", masks))

    def test_only_the_three_streams_are_open(self):
        self.assertEqual(b"0\n1\n2\n3\n", run("ls /proc/self/fd").stdout)  # 3 is the directory that ls reads

    def test_the_program_sees_neither_the_agent_nor_into_init(self):
        result = run(
            "set -- /proc/[0-9]*; echo $#; cat /proc/1/environ /proc/1/maps /proc/1/mem; ls /proc/1/fd; kill -9 1; echo $$"
        )
        self.assertEqual(b"2\n2\n", result.stdout)  # init and bash
        self.assertEqual(5, result.stderr.count(b"ermi"), result.stderr)

    def test_limits_of_processes_and_files_hold(self):
        code = "for i in {1..30}; do sleep 60 & done"
        self.assertIn(b"Resource temporarily unavailable", run(code, limits=Limits(processes=10, wall_ms=SHORT)).stderr)
        self.assertEqual(b"24\n24\n0\n", run("ulimit -Sn; ulimit -Hn; ulimit -c", limits=Limits(open_files=24)).stdout)

    def test_a_full_file_system_is_told_as_such(self):
        result = run(
            "for d in /workspace /tmp /dev/shm; do head -c 9000000 /dev/zero >$d/fill; done",
            limits=Limits(workspace=2 << 20, tmp=1 << 20, shm=3 << 20),
        )
        self.assertEqual(3, result.stderr.count(b"No space left on device"), result.stderr)

    def test_the_number_of_files_is_bounded(self):
        result = run("for i in {1..200}; do : >/tmp/f$i || break; done; ls /tmp | wc -l", limits=Limits(inodes=50))
        self.assertEqual(b"49\n", result.stdout)

    def test_only_devices_that_programs_need_are_left(self):
        self.assertEqual(b"fd full null shm stderr stdin stdout urandom zero\n", run("echo $(ls /dev)").stdout)

    def test_memory_that_no_call_can_have_is_refused_but_may_be_reserved(self):
        code = (
            "from mmap import *\n"
            "def tried(flags, protection):\n"
            "    try: return len(mmap(-1, 80 << 30, flags | MAP_ANONYMOUS, protection)) >> 30\n"
            "    except OSError as error: return error.errno\n"
            "writable = PROT_READ | PROT_WRITE\n"
            "print(tried(MAP_PRIVATE, writable), tried(MAP_SHARED, writable), tried(MAP_PRIVATE, 0))\n"
            "import resource; print(resource.getrlimit(resource.RLIMIT_DATA)[1] >> 30)"
        )
        self.assertEqual(b"12 12 80\n64\n", run(f"exec python3 -c '{code}'").stdout)

    def test_what_leads_out_of_the_sandbox_is_refused(self):
        code = """
import socket, ctypes, errno, os
for family, kind, protocol in ((40, 1, 0), (17, 3, 0), (38, 5, 0), (2, 3, 1)):
    try: socket.socket(family, kind, protocol); print("open", family)
    except OSError as e: print(errno.errorcode[e.errno])
libc = ctypes.CDLL(None, use_errno=True)
for number in (321, 298, 323, 246, 175, 425, 435):
    print(errno.errorcode[(libc.syscall(number, 0, 0, 0, 0, 0), ctypes.get_errno())[1]])
for flags in (0x10000000, 0x10020000): print(errno.errorcode[(libc.unshare(flags), ctypes.get_errno())[1]])
"""
        expected = ["EAFNOSUPPORT"] * 3 + ["EPERM"] * 6 + ["ENOSYS"] * 2 + ["EPERM"] * 2
        self.assertEqual(expected, run("python3 - <<'END'" + code + "END").stdout.decode().split())


class Files(unittest.TestCase):
    def test_files_arrive_with_their_directories_and_belong_to_the_program(self):
        result = run(
            "cat d/e/f; echo more >>d/e/f; tail -n 1 d/e/f; stat -c '%a %u:%g' d d/e/f .",
            files=[("d/e/f", b"hello\n"), ("large", b"x" * 1_000_000)],
        )
        self.assertEqual("hello\nmore\n755 1000:1000\n644 1000:1000\n755 1000:1000\n", result.stdout.decode())

    def test_files_that_do_not_fit_are_a_failure(self):
        for files, limits in (
            ([("big", b"x" * 3_000_000)], Limits(workspace=1 << 20)),
            ([(f"f{i}", b"") for i in range(30)], Limits(inodes=10)),
        ):
            with Sandbox() as sandbox:
                sandbox.prepare("true", files=files, limits=limits)
                self.assertEqual(3, sandbox.result().failure[0])

    def test_files_that_contradict_each_other_are_a_violation(self):
        for files in ([("a", b""), ("a/b", b"")], [("a/b", b""), ("a", b"")], [("a", b""), ("a", b"")]):
            with Sandbox() as sandbox:
                sandbox.prepare("true", files=files)
                self.assertEqual(2, sandbox.result().failure[0])


class Artifacts(unittest.TestCase):
    def test_new_changed_and_renamed_files_come_back_and_unchanged_inputs_do_not(self):
        result = run(
            "echo new >n.txt; mkdir -p a/b; echo deep >a/b/x.txt; echo y >>changed.txt; mv old.txt moved.txt; echo z >no.bin",
            globs=["**/*.txt"],
            files=[("same.txt", b"s"), ("changed.txt", b"c"), ("old.txt", b"o")],
        )
        self.assertEqual(
            {"n.txt": b"new\n", "a/b/x.txt": b"deep\n", "changed.txt": b"cy\n", "moved.txt": b"o"}, result.artifacts
        )
        self.assertEqual([], result.skipped)

    def test_links_pipes_and_devices_are_never_followed_or_opened(self):
        result = run(
            "ln -s /etc/passwd l.txt; ln -s / root; ln -s . self; mkfifo p.txt; ln -s /dev/zero z.txt; ln -s l l; echo 1 >f.txt",
            globs=["**/*.txt", "**/passwd"],
        )
        self.assertEqual({"f.txt": b"1\n"}, result.artifacts)

    def test_number_and_bytes_are_limited_and_what_is_left_out_is_named(self):
        result = run(
            "for i in 1 2 3 4; do echo $i >f$i.txt; done; head -c 5000 /dev/zero >a.txt",
            globs=["*.txt"],
            limits=Limits(artifacts=2, artifact_bytes=4000),
        )
        self.assertEqual({"f1.txt": b"1\n", "f2.txt": b"2\n"}, result.artifacts)
        self.assertEqual([(2, "a.txt"), (1, "f3.txt"), (1, "f4.txt")], result.skipped)

    def test_a_large_file_of_any_mode_comes_back_whole(self):
        result = run("head -c 700000 /dev/urandom >x.bin; md5sum <x.bin; chmod 0 x.bin", globs=["x.bin"])
        self.assertEqual(result.stdout.split()[0].decode(), hashlib.md5(result.artifacts["x.bin"]).hexdigest())

    def test_names_that_are_not_text_are_repaired(self):
        self.assertEqual(["bad??.txt"], list(run("printf x >$'bad\\xff\\xc0.txt'", globs=["*.txt"]).artifacts))

    def test_a_tree_without_end_is_walked_to_a_bound(self):
        result = run(
            'd=.; for i in {1..40}; do d=$d/d; mkdir "$d"; echo >"$d/x.txt"; done; mkdir many; touch many/{1..300}.txt',
            globs=["**/*.txt"],
            limits=Limits(artifacts=1000),
        )
        self.assertEqual(315, len(result.artifacts))
        self.assertEqual(15, max(path.count("/") for path in result.artifacts))

    def test_many_that_are_left_out_are_named_to_a_bound(self):
        result = run("touch {1..300}.txt", globs=["*.txt"], limits=Limits(artifacts=0))
        self.assertEqual(100, len(result.skipped))


if __name__ == "__main__":
    agent_client.main()
