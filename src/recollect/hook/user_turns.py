"""What the user typed, from a transcript: the last turns of a session, or the first.

Any surprise means nothing.
"""

from __future__ import annotations

from recollect.hook.transcript import STEP, first_rows, item_of, last_rows, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

TURNS = 3
# One turn of much work can be hundreds of KB long. A megabyte is looked through in 1 ms.
MOST = 16 * STEP
# What a session began with stands behind its instructions, which take Codex 30 KB and may be longer.
HEAD = 4 * STEP
# Rows of Claude Code that it wrote in the user's name.
_NOT_TYPED = ("isMeta", "isCompactSummary", "isSidechain")
_NOT_SAID = ("<", "This session is being continued", "[Request interrupted by user")


def user_turns(path: str) -> list[str]:
    """The user's last turns, oldest first. The end is read backwards until there are enough."""
    turns: list[str] = []
    for row in last_rows(path, MOST, _may_be_typed):
        text = _typed(row)
        if text and turns[-1:] != [text]:
            turns.append(text)
            if len(turns) == TURNS:
                break
    return turns[::-1]


def first_turns(path: str) -> Iterator[str]:
    """The user's first turns, oldest first: what a session began with. Read as they are asked for."""
    return (text for row in first_rows(path, HEAD, _may_be_typed) if (text := _typed(row)))


def _may_be_typed(line: bytes) -> bool:
    if b'"payload"' in line:
        return b'"UserMessage"' in line or b'"user_message"' in line
    return b'"user"' in line and b'"tool_result"' not in line and b'"functionResponse"' not in line


def _typed(row: dict[str, Any]) -> str:
    """What the user typed, if this row is that; tool results and summaries are not."""
    text = _codex(row) if "payload" in row else _others(row)
    if "memory-context" in text:
        from recollect.working.echo import typed

        text = typed(text)
    text = text.strip()
    return "" if text.startswith(_NOT_SAID) else whole(text)


def _codex(row: dict[str, Any]) -> str:
    item = item_of(row)
    if item.get("type") == "UserMessage":
        return _joined(item.get("content"))
    payload = row["payload"]
    if isinstance(payload, dict) and payload.get("type") == "user_message":
        return _joined(payload.get("message"))
    return ""


def _others(row: dict[str, Any]) -> str:
    """A row of Claude Code, which has a `message`, or of Gemini CLI, which shows what it was given."""
    if row.get("type") != "user" or any(row.get(mark) for mark in _NOT_TYPED):
        return ""
    message = row.get("message")
    if isinstance(message, dict):
        return _joined(message.get("content"))
    return _joined(row.get("displayContent") or row.get("content"))


def _joined(content: object) -> str:
    """The text of a message: itself, or the text of its parts."""
    if isinstance(content, str):
        return content
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if part.get("type", "text") == "text"]
    return "\n".join(_own(text) for text in texts if isinstance(text, str))


def _own(text: str) -> str:
    """A part of a message without what Gemini CLI put in front of it, which may be all of it."""
    if not text.startswith("<hook_context>"):
        return text
    from recollect.agents.gemini import without_context

    return without_context(text)
