"""The JSON of a harness: what it sends, what it reads, and the rows of its transcripts.

A value of the wrong type counts as missing; nothing here raises. Output is ASCII on one line, whatever the
terminal's encoding. Transcripts are no stable interface: a row we do not understand says nothing.
"""

from __future__ import annotations

import json

from recollect.agents.event import STARTS, Event
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from recollect.agents.event import HookReply, Kind, Start
    from recollect.working.tools import ToolNames

    Row = dict[str, Any]

OUTPUT_LIMIT = 32_000
# A tool output with more values than this is data, not text, and is read no further.
_VALUES_READ = 10_000
# Fields in which tools return text for a person, in reading order.
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
# Rows that Claude Code wrote in the user's name, and texts that no user typed.
_NOT_TYPED = ("isMeta", "isCompactSummary", "isSidechain")
_NOT_SAID = ("This session is being continued", "[Request interrupted by user")


def event_of(name: str, payload: object, kinds: Mapping[str, Kind]) -> Event:
    """The event in a payload with the field names that most harnesses share.

    `name` is the event that the hook was registered for; if it is unknown, the payload's own name counts.
    """
    event = name if name in kinds else text_field(payload, "hook_event_name") or name
    return Event(
        kind=kinds.get(event, "unknown"),
        name=event,
        session=text_field(payload, "session_id"),
        folder=text_field(payload, "cwd"),
        prompt=_typed(text_field(payload, "prompt", "user_prompt")),
        start=_start(text_field(payload, "source", "trigger")),
        transcript=text_field(payload, "transcript_path"),
        tool=text_field(payload, "tool_name"),
        tool_input=object_field(payload, "tool_input"),
        tool_output=plain_text(first_value(payload, *_OUTPUTS)),
        last_message=text_field(payload, "last_assistant_message"),
    )


def first_value(payload: object, *names: str) -> Any:
    """The value of the first field that has one; None if none has."""
    if isinstance(payload, dict):
        for name in names:
            if payload.get(name) is not None:
                return payload[name]
    return None


def text_field(payload: object, *names: str) -> str:
    """The first field that is a non-empty string; '' if none is."""
    if isinstance(payload, dict):
        for name in names:
            value = payload.get(name)
            if isinstance(value, str) and value:
                return value
    return ""


def object_field(payload: object, name: str) -> Mapping[str, Any]:
    """The field as an object, parsed if it is the JSON text of one; {} for anything else."""
    value = first_value(payload, name)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def plain_text(value: object, limit: int = OUTPUT_LIMIT) -> str:
    """The text in a tool's output: a string, an object or a list of blocks.

    Past `limit` characters the middle is left out, because the beginning and the end say most.
    """
    texts: list[str] = []
    waiting: list[object] = [value]
    for _ in range(_VALUES_READ):
        if not waiting:
            break
        match waiting.pop():
            case str() as line if line:
                texts.append(line)
            case list() as items:
                waiting.extend(reversed(items))
            case dict() as fields:
                waiting.extend(reversed(_texts(fields)))
    return clipped("\n".join(texts), limit)


def clipped(text: str, limit: int) -> str:
    """`text` in at most `limit` characters, its middle left out."""
    if len(text) <= limit:
        return text
    half = max(0, limit - len(_CUT)) // 2
    return text[:half] + _CUT + text[len(text) - half :]


def to_json(output: Mapping[str, object]) -> str:
    """`output` for standard output; '' if it is empty."""
    return json.dumps(output, separators=(",", ":")) if output else ""


def hook_specific(event: Event, reply: HookReply) -> str:
    """The output that Claude Code introduced and others adopted.

    Context goes into prompts and session starts only, a denial only before a tool runs, and a line for the
    person to the end of a session.
    """
    match event.kind:
        case "prompt" | "session_start" if reply.context:
            fields = {"hookEventName": event.name, "additionalContext": reply.context}
        case "tool_before" if reply.deny:
            fields = {
                "hookEventName": event.name,
                "permissionDecision": "deny",
                "permissionDecisionReason": reply.deny,
            }
        case "session_end" if reply.notice:
            return to_json({"systemMessage": reply.notice})
        case _:
            return ""
    return to_json({"hookSpecificOutput": fields})


def _texts(fields: Mapping[str, object]) -> list[object]:
    if text_field(fields, "type") in _NOT_TEXT:
        return []
    known = [fields[key] for key in _TEXT_KEYS if key in fields]
    return known or list(fields.values())


def _typed(prompt: str) -> str:
    """A prompt without blocks that we injected earlier, which a harness may send back in it."""
    if "memory-context" not in prompt:
        return prompt
    from recollect.working.echo import typed

    return typed(prompt)


def _start(source: str) -> Start:
    return next((start for start in STARTS if start == source), "startup")


class TranscriptRows(Frozen):
    """One harness's rows. The two `may_` functions look at a line's bytes, so that few lines are parsed.

    `prompt` is what the user typed, '' for any other row. `files` are those of each tool call in a row.
    `failed` says whether a call of that id failed, None where the row does not say.
    """

    may_be_prompt: Callable[[bytes], bool]
    prompt: Callable[[Row], str]
    may_be_call: Callable[[bytes], bool]
    files: Callable[[Row], list[list[str]]]
    failed: Callable[[Row, str], bool | None] | None = None


def message_rows(tools: ToolNames) -> TranscriptRows:
    """Rows with a `message` of content blocks, as Claude Code writes them."""

    def files(row: Row) -> list[list[str]]:
        message = row.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        used = [block.get("input") for block in objects(content) if block.get("type") == "tool_use"]
        return [tools.paths(fields) for fields in used if isinstance(fields, dict)]

    return TranscriptRows(
        may_be_prompt=lambda line: b'"user"' in line and b'"tool_result"' not in line,
        prompt=message_prompt,
        may_be_call=lambda line: b'"tool_use"' in line,
        files=files,
    )


def message_prompt(row: Row) -> str:
    """What the user typed in a row of Claude Code; '' for any other row."""
    message = row.get("message")
    if row.get("type") != "user" or any(row.get(mark) for mark in _NOT_TYPED):
        return ""
    text = joined_text(message.get("content")) if isinstance(message, dict) else ""
    return "" if text.lstrip().startswith(_NOT_SAID) else text


def joined_text(content: object) -> str:
    """The text of a message: itself, or that of its text blocks, one per line."""
    if isinstance(content, str):
        return content
    texts = [block.get("text") for block in objects(content) if block.get("type", "text") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def objects(value: object) -> list[Row]:
    """The objects in a list; none for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
