"""The echo guard: what Recollect itself said is never captured again.

One recalled sentence, captured and recalled and captured, is how a memory fills with junk. So nothing is
taken from our own commands and tools, from files of the memory, nor from a block of ours in any output.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_NAME = "recollect"
_TOOLS = ("memory_", "working_memory")
_OPENINGS = ("<memory-context", "\\u003cmemory-context", "&lt;memory-context")
_CLOSINGS = ("</memory-context>", "\\u003c/memory-context\\u003e", "&lt;/memory-context&gt;")
_POINTER = "<!-- No memory of this project answers"
# Where a tool is told which file to look at; what it is told to write may speak of anything.
_NAMING = ("file_path", "path", "notebook_path", "filePath", "target_file", "command", "cmd")
_STARTERS = frozenset("&& || | ; & ( then do exec sudo time -m uvx run".split())  # noqa: SIM905


def is_ours(tool: str, given: Mapping[str, Any], roots: Sequence[str]) -> bool:
    """Whether a tool's output is our own words: our tool, our command, or a file of the memory."""
    parts = tool.split("__")
    if parts[-1].startswith(_TOOLS) or any(_NAME in part.split("_") for part in parts[:-1]):
        return True
    named = [text for key in _NAMING if isinstance(text := given.get(key), str)]
    if any(root in text for root in roots for text in named if root):
        return True
    return any(_runs_us(given.get(name)) for name in ("command", "cmd"))


def _runs_us(command: object) -> bool:
    """Whether a shell command starts ours anywhere: `cd x && recollect show y`, `python -m recollect`."""
    words = command if isinstance(command, list) else str(command or "").replace(";", " ; ").split()
    before = ";"
    for word in words:
        name = str(word).rsplit("/", 1)[-1].strip("\"'`$(")
        if name in (_NAME, f"{_NAME}-hook") and (before in _STARTERS or "=" in before):
            return True
        before = str(word)
    return False


def without_echo(output: str, roots: Sequence[str]) -> str:
    """A tool's output without our blocks, and without lines that point into the memory."""
    text = output
    for opening, closing in zip(_OPENINGS, _CLOSINGS, strict=True):
        text = _without_blocks(text, opening, closing)
    marks = (_POINTER, *(f"-> {root}" for root in roots if root))
    if not any(mark in text for mark in marks):
        return text
    return "\n".join(line for line in text.split("\n") if not any(mark in line for mark in marks))


def _without_blocks(text: str, opening: str, closing: str) -> str:
    """A block that does not end goes on to the end: it was cut, and is ours all the same."""
    start = text.find(opening)
    if start < 0:
        return text
    kept = []
    at = 0
    while start >= 0:
        kept.append(text[at:start])
        end = text.find(closing, start)
        at = len(text) if end < 0 else end + len(closing)
        start = text.find(opening, at)
    return "".join([*kept, text[at:]])
