"""Runs in the guest when its image is built: prints the manifest, with the versions that the programs themselves state.

Usage: manifest.py KEY SHA256_OF_ROOT_EROFS
"""

import hashlib
import json
import os
import platform
import re
import subprocess
import sys
from importlib.metadata import version

PRELOADED = "/usr/lib/hexr-sandbox/preloaded.json"


def says(*command):
    text = subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout
    return re.search(r"\d+\.\d+(\.\d+)?", text).group()


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main(key, image_sha256):
    manifest = {
        "key": key,
        "sha256": image_sha256,
        "versions": {
            "python": platform.python_version(),
            "node": says("node", "--version"),
            "bash": says("bash", "--version"),
            **{name: version(name) for name in ("numpy", "pandas", "scipy", "matplotlib")},
            # The agent has no releases of its own: its binary names it.
            "agent": sha256("/sbin/agent")[:12],
        },
    }
    if os.path.exists(PRELOADED):
        with open(PRELOADED, encoding="utf-8") as file:
            manifest["preloaded"] = json.load(file)
    json.dump(manifest, sys.stdout, indent=2)
    print()


main(*sys.argv[1:])
