"""How to read the rows of a transcript: what the user typed, and which files a tool call was about.

Transcripts are no stable interface. Nothing here raises: a row we do not understand says nothing.
"""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from recollect.working.tools import ToolNames

    Row = dict[str, Any]

# Rows that Claude Code wrote in the user's name, and texts that no user typed.
_NOT_TYPED = ("isMeta", "isCompactSummary", "isSidechain")
_NOT_SAID = ("This session is being continued", "[Request interrupted by user")


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
        prompt=_message_prompt,
        may_be_call=lambda line: b'"tool_use"' in line,
        files=files,
    )


def _message_prompt(row: Row) -> str:
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
