"""Runs in the guest as the user of a program: what the image gives to a program, without agent and parked interpreters."""

import importlib
import importlib.util
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import sys
import time
import unittest

MODULES = """numpy pandas scipy.stats scipy.optimize matplotlib.pyplot openpyxl tabulate yaml sympy PIL lxml.etree dateutil pytz
    bz2 ctypes curses dbm hashlib lzma readline sqlite3 ssl uuid zlib zoneinfo""".split()
TOOLS = """awk basename bash bc bzip2 cat cmp column comm cut date diff dirname env expr file find gawk grep gunzip gzip head
    hexdump join jq less ls mktemp nl od paste perl printf ps realpath rev sed seq sha256sum shuf sort split sqlite3 stat tac tail
    tar tee timeout tr uniq unzip wc xargs xxd xz zip zipinfo""".split()


def sh(script):
    return subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True, timeout=30).stdout


class GuestImageTest(unittest.TestCase):
    def test_knows_its_user_and_its_host(self):
        user = pwd.getpwuid(os.getuid())
        self.assertEqual(("sandbox", "/workspace", "/bin/bash"), (user.pw_name, user.pw_dir, user.pw_shell))
        self.assertEqual("uid=1000(sandbox) gid=1000(sandbox) groups=1000(sandbox)\n", sh("id"))
        for name in ("localhost", "sandbox"):
            self.assertEqual("127.0.0.1", socket.gethostbyname(name))

    def test_is_in_utc_and_knows_the_other_zones(self):
        self.assertEqual(("UTC", "UTC"), time.tzname)
        self.assertEqual("JST\n", sh("TZ=Asia/Tokyo date +%Z"))

    def test_reads_utf8(self):
        self.assertEqual("3\n", sh("export LC_ALL=C.UTF-8; s=äöü; echo ${#s}"))

    def test_imports_what_programs_of_agents_use(self):
        for name in MODULES:
            with self.subTest(name):
                importlib.import_module(name)

    def test_has_compiled_every_module_from_its_present_source(self):
        tops = ("/usr/lib/python3.11", "/usr/lib/python3", "/usr/lib/hexr-sandbox")
        sources = [path for top in tops for path in pathlib.Path(top).rglob("*.py")]
        self.assertGreater(len(sources), 1000)
        for source in sources:
            with self.subTest(source):
                compiled = pathlib.Path(importlib.util.cache_from_source(source)).read_bytes()
                self.assertEqual(importlib.util.source_hash(source.read_bytes()), compiled[8:16])

    def test_computes_with_openblas(self):
        import numpy

        numpy.ones((9, 9)) @ numpy.ones((9, 9))
        self.assertIn("openblas", pathlib.Path("/proc/self/maps").read_text())

    def test_has_the_list_of_fonts_that_this_matplotlib_looks_for(self):
        os.environ["MPLCONFIGDIR"] = "/tmp/matplotlib"
        shutil.copytree("/usr/share/hexr-sandbox/matplotlib", "/tmp/matplotlib")
        with self.assertNoLogs("matplotlib.font_manager", "INFO"):  # it logs when it makes a list
            from matplotlib import font_manager
        self.assertIn("DejaVuSans.ttf", font_manager.findfont("DejaVu Sans"))

    def test_runs_modules_on_node(self):
        pathlib.Path("a.mjs").write_text("import os from 'os'; console.log(await os.EOL.length)")
        self.assertEqual("1\n", sh("node a.mjs"))

    def test_has_the_tools_of_shell_scripts(self):
        self.assertEqual([], [tool for tool in TOOLS if not shutil.which(tool)])

    def test_can_read_no_secret(self):
        for path in ("/etc/shadow", "/etc/gshadow", "/var/lib/apt", "/etc/apt", "/etc/machine-id", "/etc/resolv.conf"):
            self.assertFalse(os.path.exists(path), path)


result = unittest.main(argv=["guest_test", "-v"], exit=False).result
failed = len(result.failures) + len(result.errors)
print(f"{result.testsRun - failed} passed, {failed} failed")
sys.exit(failed > 0)
