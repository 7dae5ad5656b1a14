"""The scripts whose runs are compared: files of corpus/, and the open behaviour cases that need no service."""

import base64
import json
import pathlib

from natively import Case

_HERE = pathlib.Path(__file__).parent / "corpus"
_SUFFIX = {"python": ".py", "javascript": ".js", "bash": ".sh"}


def cases(language):
    """By name. The first line of a script may state more of its call: `# case: {"arguments": ["x"], "stdin": "text"}`."""
    found = {}
    for path in sorted((_HERE / language).glob(f"*{_SUFFIX[language]}")):
        code = path.read_text()
        head, mark, stated = code.partition("\n")[0].partition("case: ")
        found[path.stem] = _case(language, code, **(json.loads(stated) if mark else {}))
    for line in (_HERE / "open-cases.jsonl").read_text().splitlines():
        call = json.loads(line)
        if call["language"] == language:
            found[call["id"]] = _open_case(call)
    return found


def _case(language, code, arguments=(), environment=None, stdin="", files=None):
    files = {path: content.encode() for path, content in (files or {}).items()}
    return Case(language, code.encode(), tuple(arguments), environment or {}, stdin.encode(), files)


def _open_case(call):
    files = {}
    for file in call.get("files", ()):
        encoded = file.get("content_base64")
        files[file["path"]] = file["content"].encode() if encoded is None else base64.b64decode(encoded)
    return Case(
        call["language"],
        _text(call["code"]).encode(),
        tuple(call.get("args", ())),
        call.get("env", {}),
        _text(call.get("stdin", "")).encode(),
        files,
    )


def _text(value):
    """Long strings are written {"$repeat": [text, times]} or {"$concat": [parts]}."""
    if isinstance(value, str):
        return value
    if "$repeat" in value:
        return value["$repeat"][0] * value["$repeat"][1]
    return "".join(map(_text, value["$concat"]))
