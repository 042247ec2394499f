"""Reading what a harness sent. A value of the wrong type counts as missing; nothing here raises."""

from __future__ import annotations

import json

from recollect.agents.event import STARTS, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from recollect.agents.event import Kind, Start

OUTPUT_LIMIT = 32_000
# A tool's answer of more values than this is data, not text; what was read so far is enough.
_VALUES_READ = 10_000
# Where the known tools keep what a person would read, in reading order.
_TEXT_KEYS = (
    "stdout",
    "stderr",
    "text",
    "content",
    "output",
    "llmContent",
    "result",
    "error",
    "message",
    "file",
    "filenames",
)
_NOT_TEXT = frozenset({"image", "audio", "video", "document"})
_OUTPUTS = ("tool_response", "tool_result", "tool_output", "error")
_CUT = "\n[...]\n"


def event_of(name: str, payload: object, kinds: Mapping[str, Kind]) -> Event:
    """The event in the field names that most harnesses share.

    `name` is what the hook was registered for; when it says nothing, the payload's own name is used.
    """
    named = name if name in kinds else text(payload, "hook_event_name") or name
    return Event(
        kind=kinds.get(named, "unknown"),
        name=named,
        session=text(payload, "session_id"),
        folder=text(payload, "cwd"),
        prompt=_typed(text(payload, "prompt", "user_prompt")),
        start=_start(text(payload, "source", "trigger")),
        transcript=text(payload, "transcript_path"),
        tool=text(payload, "tool_name"),
        tool_input=mapping(payload, "tool_input"),
        tool_output=plain(first(payload, *_OUTPUTS)),
        last_message=text(payload, "last_assistant_message"),
    )


def first(payload: object, *names: str) -> Any:
    """The first of the fields that has a value, or None."""
    if isinstance(payload, dict):
        for name in names:
            if payload.get(name) is not None:
                return payload[name]
    return None


def text(payload: object, *names: str) -> str:
    """The first of the fields that is a text and not empty, or nothing."""
    if isinstance(payload, dict):
        for name in names:
            value = payload.get(name)
            if isinstance(value, str) and value:
                return value
    return ""


def mapping(payload: object, name: str) -> Mapping[str, Any]:
    """The field as an object, also when it came as the JSON text of one."""
    value = first(payload, name)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def plain(value: object, limit: int = OUTPUT_LIMIT) -> str:
    """The text in a tool's answer: a string, an object or a list of blocks.

    Past `limit` characters the middle is left out: how it began and how it ended say most.
    """
    found: list[str] = []
    waiting: list[object] = [value]
    for _ in range(_VALUES_READ):
        if not waiting:
            break
        match waiting.pop():
            case str() as line if line:
                found.append(line)
            case list() as items:
                waiting.extend(reversed(items))
            case dict() as fields:
                waiting.extend(reversed(_texts(fields)))
    return clipped("\n".join(found), limit)


def clipped(whole: str, limit: int) -> str:
    """`whole` in at most `limit` characters, its middle left out."""
    if len(whole) <= limit:
        return whole
    half = max(0, limit - len(_CUT)) // 2
    return whole[:half] + _CUT + whole[len(whole) - half :]


def _texts(fields: Mapping[str, object]) -> list[object]:
    if text(fields, "type") in _NOT_TEXT:
        return []
    known = [fields[key] for key in _TEXT_KEYS if key in fields]
    return known or list(fields.values())


def _typed(prompt: str) -> str:
    """A prompt without what we told the conversation before, should a harness give that back in it."""
    if "memory-context" not in prompt:
        return prompt
    from recollect.working.echo import typed

    return typed(prompt)


def _start(source: str) -> Start:
    return next((start for start in STARTS if start == source), "startup")
