#!/usr/bin/python3
"""Jailer, Firecracker and agent in one, as far as the engine sees them: see FakeMonitor.java, which sets FAULT."""

import json
import os
import signal
import socket
import struct
import sys
import threading

FAULT = "NONE"
arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
os.chdir(os.path.join(arguments["--chroot-base-dir"], "firecracker", arguments["--id"], "root"))
if FAULT == "FAILS_TO_START":
    sys.exit("no /dev/kvm here")
if os.fork():
    os._exit(0)  # as the jailer does, when it has a new PID namespace
if FAULT == "NEVER_LISTENS":
    signal.pause()


def frame(connection, kind, payload=b""):
    connection.sendall(struct.pack("<BI", kind, len(payload)) + payload)


def park():
    agent = socket.socket(socket.AF_UNIX)
    agent.connect("v.sock_51")
    frame(agent, 0x81)
    if FAULT == "TALKS_AFTER_PARKING":
        frame(agent, 0x81)
    agent.close()


def listen(path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(8)
    return listener


def serve_vsock(listener):
    kept = []
    while True:
        connection, _ = listener.accept()
        kept.append(connection)
        try:
            talk(connection, len(kept))
        except OSError:
            pass  # who tries again soon may have hung up


def talk(connection, number):
    if connection.makefile("rb", 0).readline() != b"CONNECT 52\n" or FAULT == "ACCEPTS_NO_CONNECTION":
        connection.close()
    elif FAULT != "LOSES_FIRST_CONNECTION" or number > 1:
        connection.sendall(b"OK 1073741824\n")
        resume = connection.recv(81, socket.MSG_WAITALL)
        if len(resume) == 81:
            if FAULT == "DIES_IN_HANDSHAKE":
                os._exit(0)
            frame(connection, 0x82, struct.pack("<I", 1) + resume[9:17] + os.urandom(16))


def answer(request, body):
    if request == "GET /version":
        return 200, {"firecracker_version": "1.11.0" if FAULT == "IS_TOO_OLD" else "1.12.1"}
    if request == "PUT /actions":
        if FAULT == "DIES_IN_BOOT":
            os._exit(0)
        if FAULT != "NEVER_PARKS":
            threading.Thread(target=park, daemon=True).start()
    if request == "PUT /snapshot/create":
        try:
            for name in ("state", "memory"):
                with open(name, "wb") as file:
                    file.write(b"x" * (8 << 20 if FAULT == "DISK_IS_FULL" else 5000))
        except OSError as error:
            return 400, {"fault_message": str(error)}
    if request == "PUT /snapshot/load":
        if FAULT == "STOPS_IN_LOAD":
            os.kill(os.getpid(), signal.SIGSTOP)
        if FAULT == "DIES_IN_LOAD":
            os._exit(1)
        if FAULT == "REFUSES_LOAD":
            return 400, {"fault_message": "snapshot of another processor"}
        assert os.path.exists(body["snapshot_path"]) and os.path.exists(body["mem_backend"]["backend_path"])
        threading.Thread(target=serve_vsock, args=(listen("v.sock"),), daemon=True).start()
    return 204, None


api = listen("a")
while True:
    connection, _ = api.accept()
    with connection, connection.makefile("rb") as stream:
        line = stream.readline().decode()
        if not line:
            continue
        length = 0
        while (header := stream.readline().decode().strip()):
            if header.startswith("Content-Length:"):
                length = int(header.split(":")[1])
        body = json.loads(stream.read(length) or b"{}")
        status, content = answer(line.rsplit(" ", 1)[0], body)
        text = json.dumps(content) if content else ""
        size = f"Content-Length: {len(text)}\r\n" if content else ""
        connection.sendall(f"HTTP/1.1 {status} \r\nServer: Firecracker API\r\n{size}\r\n{text}".encode())
