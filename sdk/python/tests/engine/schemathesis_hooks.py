"""What the contract leaves to whoever configures the engine, and what JSON Schema cannot say, is told to schemathesis here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import schemathesis

MAX_EXECUTION_TIME = 30
MAX_MEMORY_MB = 512
MAX_NAME_BYTES = 255
SCRIPTS = ["main.py", "main.js", "main.sh"]


@schemathesis.hook
def before_load_schema(context: schemathesis.HookContext, raw_schema: dict[str, Any]) -> None:
    fields = raw_schema["components"]["schemas"]["ExecutionRequest"]["properties"]
    fields["timeout"]["maximum"] = MAX_EXECUTION_TIME
    fields["memory_mb"]["maximum"] = MAX_MEMORY_MB


@schemathesis.hook
def filter_case(context: schemathesis.HookContext, case: schemathesis.Case[Any]) -> bool:
    """Drops requests whose paths the schema takes but the file system, or the other paths, do not."""
    paths = list(_paths(case.body))
    return (
        len(set(paths)) == len(paths)
        and not any(name == path or name.startswith(path + "/") for path in paths for name in SCRIPTS)
        and not any(name.startswith(path + "/") for path in [*paths, *SCRIPTS] for name in paths)
        and not any(len(part.encode()) > MAX_NAME_BYTES for path in paths for part in path.split("/"))
    )


def _paths(body: Any) -> Iterator[str]:
    files = body.get("files") if isinstance(body, dict) else None
    for file in files if isinstance(files, list) else []:
        if isinstance(file, dict) and isinstance(file.get("path"), str):
            yield file["path"]
