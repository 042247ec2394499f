"""Rows of a session that SpecStory wrote as Markdown (`.specstory/history/*.md`).

A heading line such as `_**User (2026-03-01 10:00:00Z)**_` begins a message. Inside a fence or a tool's block
it is somebody's text and begins nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from recollect.agents.past_events import Answered, Called, Context, PastEvent, Returned, Said
from recollect.importing.transcripts.line_rows import lines
from recollect.importing.transcripts.rows import Rows, TranscriptRow, UnreadableRow

HARNESS = "specstory"
PATTERN = ".specstory/history/*.md"
_MOST_LINES = 2_000  # of one message; the rest of a longer one is left out
_MESSAGE = re.compile(r"_\*\*(?P<who>[A-Z][\w -]{0,40}?)(?: \((?P<about>[^()]{0,120})\))?\*\*_\s*")
_SESSION = re.compile(
    r"<!-- (?:[\w .-]{1,40} )?Session (?P<id>[\w.-]{4,80})(?: \((?P<at>[^()]{1,40})\))? -->\s*"
)
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2})?Z?")
_TOOL = re.compile(r'<tool-use\b[^>]{0,200}?\bdata-tool-name="(?P<name>[^"]{1,80})"')
_FENCE = re.compile(r"\s{0,3}(?P<mark>`{3,}|~{3,})")
_COMMAND = re.compile(r"`([^`]{1,4000})`\s*")
_PATH = re.compile(r"(?:Path|File|file_path): ?`?([^`\s]{1,400})`?\s*")
_FAILED = re.compile(r"(?:exit code:? ?[1-9]|Error: )", re.IGNORECASE)


@dataclass(slots=True)
class _Message:
    who: str
    at: str
    line: int
    lines: list[str] = field(default_factory=list)


def markdown_rows(path: Path) -> Rows:
    """The session's name, then each message with the tools that it used."""
    message: _Message | None = None
    fence, in_tool = "", False
    for number, data in lines(path):
        if data is None:
            yield UnreadableRow(number, "a line that is too long")
            continue
        line = data.decode("utf-8", "replace").rstrip("\r")
        if not fence and not in_tool:
            if session := _SESSION.fullmatch(line):
                yield TranscriptRow(number, session["at"] or "", [Context(session["id"])])
                continue
            if heading := _MESSAGE.fullmatch(line):
                if message:
                    yield _row(message)
                at = _MOMENT.search(heading["about"] or "")
                message = _Message(heading["who"], at[0] if at else "", number)
                continue
        fence, in_tool = _inside(line, fence, in_tool=in_tool)
        if message and len(message.lines) < _MOST_LINES:
            message.lines.append(line)
    if message:
        yield _row(message)


def _inside(line: str, fence: str, *, in_tool: bool) -> tuple[str, bool]:
    """The open fence after a line, '' for none; and whether a tool's block is open."""
    mark = _FENCE.match(line)
    if fence:
        is_closed = bool(mark) and line.strip() == line.strip()[0] * len(line.strip())
        closes = is_closed and line.strip().startswith(fence)
        return ("" if closes else fence), in_tool
    if mark:
        return mark["mark"], in_tool
    opens, closes = "<tool-use" in line, "</tool-use>" in line
    return "", (in_tool or opens) and not closes


def _row(message: _Message) -> TranscriptRow:
    text = "\n".join(message.lines).strip()
    if message.who == "User":
        words = text.removesuffix("---").rstrip()
        return TranscriptRow(message.line, message.at, [Said(words)] if words else [])
    return TranscriptRow(message.line, message.at, list(_answered(text, message.line)))


def _answered(text: str, line: int) -> Iterator[PastEvent]:
    """What an agent wrote, and its tool calls."""
    prose, *blocks = text.split("<tool-use")
    if prose.strip():
        yield Answered(prose.strip())
    for number, block in enumerate(blocks):
        inside, _, after = block.partition("</tool-use>")
        name = _TOOL.match(f"<tool-use{inside.partition(chr(10))[0]}")
        call = f"{line}#{number}"
        if name:
            yield Called(call, name["name"], _tool_input(inside))
            output = _fenced(inside)
            yield Returned(call, output, bool(_FAILED.match(output)))
        if after.strip():
            yield Answered(after.strip())


def _tool_input(block: str) -> dict[str, str]:
    """The command that a block shows in backticks, or the path that it names."""
    for line in block.split("\n")[1:]:
        if path := _PATH.fullmatch(line.strip()):
            return {"file_path": path[1]}
        if command := _COMMAND.fullmatch(line.strip()):
            return {"command": command[1]}
        if _FENCE.match(line):
            break
    return {}


def _fenced(block: str) -> str:
    """The text of the first fence in a block."""
    inner: list[str] | None = None
    mark = ""
    for line in block.split("\n"):
        fence = _FENCE.match(line)
        if inner is None:
            if fence:
                inner, mark = [], fence["mark"]
        elif fence and line.strip().startswith(mark):
            break
        else:
            inner.append(line)
    return "\n".join(inner or ())
