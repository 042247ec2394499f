"""Tool calls that could not be recorded, because another process had the database: stored aside for later.

They are in the user's data folder and not in the project's, because a repository could bring its own. What
is stored has passed the redaction gate. The next hook of the project takes them in, in their order.
"""

from __future__ import annotations

import json
import os
import time
import zlib

from recollect.paths import read_plain
from recollect.working.redacted import RedactedText
from recollect.working.session import Item, Provenance
from recollect.working.tool_call import ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.hook.project_paths import ProjectPaths
    from recollect.working.recorder import SessionRecorder

_MOST_FILES = 500  # of all projects; a call more is lost
_MOST_TAKEN = 50  # by one hook
_MOST_BYTES = 256 * 1024  # of one call
_TAKEN = ".taken"


def put_aside(place: ProjectPaths, session: str, harness: str, call: ToolCall) -> None:
    """Store a call until the database can be written."""
    from pathlib import Path

    from recollect.storage.private import make_folder

    folder = place.pending_calls
    make_folder(Path(folder))
    if len(os.listdir(folder)) >= _MOST_FILES:
        return
    name = f"{_key(place)}-{time.time_ns():020d}-{os.getpid()}.json"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    handle = os.open(os.path.join(folder, name), flags, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump({"state": place.state, "call": _plain(session, harness, call)}, file)


def take_in(place: ProjectPaths, recorder: SessionRecorder) -> None:
    """Record the calls of this project that were put aside. Raises UnwritableError, and then none is lost."""
    names = sorted(
        name
        for name in os.listdir(place.pending_calls)
        if name.startswith(f"{_key(place)}-") and name.endswith(".json")
    )
    for name in names[:_MOST_TAKEN]:
        path = os.path.join(place.pending_calls, name)
        try:
            os.rename(path, path + _TAKEN)  # of two hooks, one gets it
        except FileNotFoundError:
            continue
        try:
            _record(path + _TAKEN, place, recorder)
        except (ValueError, KeyError, TypeError):
            pass  # not written by this version
        except Exception:
            os.rename(path + _TAKEN, path)
            raise
        os.unlink(path + _TAKEN)


def _record(path: str, place: ProjectPaths, recorder: SessionRecorder) -> None:
    document = json.loads(read_plain(path, _MOST_BYTES))
    if document["state"] == place.state:
        row = document["call"]
        recorder.call(row["session"], row["harness"], _call(row))


def _key(place: ProjectPaths) -> str:
    return f"{zlib.crc32(os.fsencode(place.state)):08x}"


def _plain(session: str, harness: str, call: ToolCall) -> dict[str, Any]:
    item = call.item
    return {
        "session": session,
        "harness": harness,
        "tool": call.tool,
        "command": [call.command.text, list(call.command.kinds)],
        "failed": call.failed,
        "item": None if item is None else _plain_item(item),
    }


def _plain_item(item: Item) -> dict[str, Any]:
    source = item.provenance
    return {
        "content": item.content,
        "base": item.base,
        "last": item.last,
        "provenance": [source.tool, source.rule, source.event, source.redaction_applied],
        "mentions": item.mentions,
        "kind": item.kind,
        "fingerprint": item.fingerprint,
        "command": item.command,
        "paths": list(item.paths),
    }


def _call(row: dict[str, Any]) -> ToolCall:
    text, kinds = row["command"]
    item = row["item"]
    if item is not None:
        item = Item(
            **{**item, "provenance": Provenance(*item["provenance"]), "paths": tuple(item["paths"])}
        )
    return ToolCall(row["tool"], RedactedText(text, tuple(kinds)), row["failed"], item)
