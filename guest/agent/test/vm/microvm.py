"""A microVM of the real Firecracker, as far as the agent needs one: boot, snapshot, resume, and vsock. No jail: that is the engine's."""

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "system"))
from agent_client import PARKED, Conversation  # noqa: E402

SECONDS = 900  # for whatever happens; in emulation a Python takes minutes to park
MEMORY_MB = 512
KERNEL = Path(os.environ["GUEST_KERNEL"])
IMAGE = Path(os.environ["GUEST_IMAGE"])
# As the engine's; the TSC is given because calibrating it takes long in emulation.
BOOT_ARGUMENTS = (
    "console=ttyS0 reboot=k panic=1 8250.nr_uarts=1 i8042.noaux i8042.nomux i8042.nopnp i8042.dumbkbd random.trust_cpu=on "
    "no-kvmapf tsc_early_khz=2596000 quiet loglevel=1"
)


class _Api(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=SECONDS)
        self._path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(SECONDS)
        self.sock.connect(self._path)


class MicroVm:
    """One Firecracker process in a directory of its own, which is its working directory."""

    def __init__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="vm-")
        self.path = Path(self._directory.name)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path / "v.sock_51"))
        self._listener.listen(1)
        self._listener.settimeout(SECONDS)
        self._connections = []
        self.log = self.path / "log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [os.environ["FIRECRACKER_BIN"], "--api-sock", "api", "--level", "Error"],
                cwd=self.path, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        deadline = time.monotonic() + SECONDS
        while not self._listens():
            assert time.monotonic() < deadline and self.process.poll() is None, self.log.read_text()
            time.sleep(0.02)

    def _listens(self):
        """Its socket is there a little before it is listened to, and nothing tells of either."""
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.path / "api")) == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for connection in (self._listener, *self._connections):
            connection.close()
        self.process.kill()
        self.process.wait(SECONDS)
        self._directory.cleanup()

    def call(self, method, path, **body):
        api = _Api(self.path / "api")
        try:
            api.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
            answer = api.getresponse()
            assert answer.status < 300, f"{method} {path}: {answer.status} {answer.read().decode()}"
        finally:
            api.close()

    def boot(self, language, drive=IMAGE / "root.erofs"):
        self.call("PUT", "/machine-config", vcpu_count=1, mem_size_mib=MEMORY_MB)
        self.call(
            "PUT", "/boot-source", kernel_image_path=str(KERNEL / "vmlinux"), initrd_path=str(KERNEL / "initramfs.cpio"),
            boot_args=f"{BOOT_ARGUMENTS} hexr_language={language}",
        )  # fmt: skip
        if drive:
            self.call(
                "PUT", "/drives/root", drive_id="root", path_on_host=str(drive), is_root_device=False, is_read_only=True
            )
        self.call("PUT", "/vsock", guest_cid=3, uds_path="v.sock")
        self.call("PUT", "/actions", action_type="InstanceStart")

    def heard(self):
        """The one frame that a guest sends before it has a connection, and that it hung up after it."""
        connection, _ = self._listener.accept()
        with connection:
            connection.settimeout(SECONDS)
            guest = Conversation(connection, None)
            frame = guest.receive()
            rest = connection.recv(1)
        assert rest == b"", f"after {frame} came {rest}"
        return frame

    def connect(self, language):
        """As the engine does: the first connections after a resume may be lost."""
        patience, deadline = 0.25, time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log.read_text()
            connection = socket.socket(socket.AF_UNIX)
            self._connections.append(connection)
            connection.settimeout(patience)
            try:
                connection.connect(str(self.path / "v.sock"))
                connection.sendall(b"CONNECT 52\n")
                answer = b""
                while not answer.endswith(b"\n"):
                    part = connection.recv(1)
                    if not part:
                        raise ConnectionResetError
                    answer += part
                assert answer.startswith(b"OK "), answer
                connection.settimeout(SECONDS)
                return Conversation(connection, language)
            except (TimeoutError, ConnectionError):
                connection.close()
                patience = min(2 * patience, 8)
        raise AssertionError(f"the guest does not listen: {self.log.read_text()}")

    def ended(self):
        """The exit status, once it has ended by itself."""
        try:
            return self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the guest goes on: {self.log.read_text()}") from None


class Template:
    """A parked guest's snapshot. `with template.resume() as vm:` gives a microVM of its own with it."""

    def __init__(self, language):
        self.language = language
        self._directory = tempfile.TemporaryDirectory(prefix="template-", dir=os.environ.get("VM_TEMPLATES"))
        self.path = Path(self._directory.name)
        with MicroVm() as vm:
            begun = time.monotonic()
            vm.boot(language)
            kind, payload = vm.heard()
            assert kind == PARKED, f"{kind:#x} {payload} {vm.log.read_text()}"
            self.parked_after = time.monotonic() - begun
            vm.call("PATCH", "/vm", state="Paused")
            vm.call(
                "PUT", "/snapshot/create", snapshot_type="Full", snapshot_path=str(self.path / "state"),
                mem_file_path=str(self.path / "memory"),
            )  # fmt: skip

    def resume(self):
        vm = MicroVm()
        try:
            vm.call(
                "PUT", "/snapshot/load", snapshot_path=str(self.path / "state"),
                mem_backend={"backend_type": "File", "backend_path": str(self.path / "memory")}, resume_vm=True,
            )  # fmt: skip
        except BaseException:
            vm.__exit__()
            raise
        return vm

    def close(self):
        self._directory.cleanup()


def has_hung_up(guest):
    """Whether the guest has dropped this connection, or does so soon."""
    try:
        return guest.socket.recv(1) == b""
    except ConnectionError:
        return True
