"""Memories of claude-mem: directives, decisions and session summaries. Pure: rows come from elsewhere."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from recollect.clock import from_text, to_text
from recollect.importing.incoming import Incoming, Skipped, source
from recollect.importing.notes import note
from recollect.markdown.plain import cut
from recollect.records.draft import Draft
from recollect.records.json_format import Json, JsonObject
from recollect.records.record import TITLE_LENGTH
from recollect.records.sentence.derivation import NOT_STATED

Row = Mapping[str, Any]
# The columns that are read, by table. Older versions lack some.
TABLES: Mapping[str, tuple[str, ...]] = {
    "directives": ("id", "scope", "project", "content", "status", "created_at"),
    "observations": (
        "id",
        "project",
        "merged_into_project",
        "type",
        "title",
        "narrative",
        "facts",
        "concepts",
        "files_modified",
        "created_at",
    ),
    "session_summaries": (
        "id",
        "project",
        "merged_into_project",
        "request",
        "investigated",
        "learned",
        "completed",
        "next_steps",
        "files_edited",
        "created_at",
    ),
    "user_prompts": ("id",),
}
_NO_FIELDS = ("investigated", "learned")


def read(tables: Iterable[tuple[str, Row]], origin: str, project: str) -> Iterator[Incoming | Skipped]:
    """What each row becomes. Rows of other projects, and kinds without an equivalent, are counted."""
    others: dict[str, int] = {}
    history: dict[str, int] = {}
    prompts = 0
    for table, row in tables:
        where = f"{origin}#{table}/{row.get('id')}"
        if table == "user_prompts":
            prompts += 1
        elif not _is_of(row, project):
            name = _text(row, "project") or "no project"
            others[name] = others.get(name, 0) + 1
        elif table == "observations" and _text(row, "type") != "decision":
            kind = _text(row, "type") or "observation"
            history[kind] = history.get(kind, 0) + 1
        else:
            yield _part(table, row, where)
    for kind, count in sorted(history.items()):
        reason = f"{count} of type {kind!r}: a record of past work; memories have no equivalent"
        yield Skipped(f"{origin}#observations", reason)
    for name, count in sorted(others.items()):
        yield Skipped(origin, f"{count} rows of another project ({name[:60]})")
    if prompts:
        reason = f"{prompts} prompts; `recollect import transcripts` reads sessions"
        yield Skipped(f"{origin}#user_prompts", reason)


def _part(table: str, row: Row, where: str) -> Incoming | Skipped:
    if table == "directives":
        if _text(row, "status") not in ("", "active"):
            return Skipped(where, f"its status is {_text(row, 'status')!r}")
        return note(_text(row, "content"), where, at=row.get("created_at"))
    return _summary(row, where) if table == "session_summaries" else _decision(row, where)


def _is_of(row: Row, project: str) -> bool:
    """Whether a row is this project's, which claude-mem names by its folder, or a directive for all."""
    own = _text(row, "merged_into_project") or _text(row, "project")
    return own == project or (_text(row, "scope") == "global" and not own)


def _decision(row: Row, where: str) -> Incoming | Skipped:
    title = _text(row, "title")
    if not title:
        return Skipped(where, "a decision without a title")
    document: JsonObject = {
        "category": "decision",
        "title": cut(title, TITLE_LENGTH),
        "tags": list[Json](_list(row, "concepts")[:8] or ["decision"]),
        "content": {
            "status": "accepted",
            "context": _text(row, "narrative") or NOT_STATED,
            "decision": title,
            "rationale": list[Json](_list(row, "facts") or [NOT_STATED]),
        },
    }
    return _incoming(row, where, document, _list(row, "files_modified"))


def _summary(row: Row, where: str) -> Incoming | Skipped:
    goal = " ".join(_text(row, "request").split())
    if not goal:
        return Skipped(where, "a session summary without a request")
    next_actions = _lines(row, "next_steps")
    changed = _list(row, "files_edited")
    content: JsonObject = {
        "goal": goal,
        "outcome": "partial" if next_actions else "success",
        "completed": list[Json](_lines(row, "completed")),
        "next_actions": list[Json](next_actions),
    }
    if changed:
        content["key_changes"] = list[Json](changed)
    document: JsonObject = {
        "category": "session_summary",
        "title": cut(f"Session: {goal}", TITLE_LENGTH),
        "tags": ["session"],
        "content": content,
    }
    return _incoming(row, where, document, changed)


def _incoming(row: Row, where: str, document: JsonObject, files: list[str]) -> Incoming:
    if files:
        document["related_files"] = list[Json](files)
    with suppress(ValueError, OverflowError):
        document["created_at"] = to_text(from_text(_text(row, "created_at")))
    document["source"] = source(where, json.dumps(document["content"], sort_keys=True))
    left = [name for name in _NO_FIELDS if _text(row, name)]
    notes = (f"not imported, because a summary has no field for it: {', '.join(left)}",) if left else ()
    return Incoming(where, Draft(document), notes)


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""


def _lines(row: Row, name: str) -> list[str]:
    lines = (line.strip(" \t-*\u2022") for line in _text(row, name).splitlines())
    return [line for line in lines if line]


def _list(row: Row, name: str) -> list[str]:
    """A column that holds a JSON list of texts."""
    try:
        values = json.loads(_text(row, name) or "[]")
    except (ValueError, RecursionError):
        return []
    return [each for each in values if isinstance(each, str)] if isinstance(values, list) else []
