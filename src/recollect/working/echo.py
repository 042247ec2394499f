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
_COMMIT = "git commit"  # memories are committed with the code, and git says nothing of what they say
_POINTER = "<!-- No memory of this project answers"
# Where a tool is told which file to look at; what it is told to write may speak of anything.
_NAMING = ("file_path", "command")
# What stands before a command that a shell runs, and the signs among them that need no space around them.
_STARTERS = frozenset("| ; & ( then do exec sudo time -m -c -lc uvx run".split())  # noqa: SIM905
_SIGNS = str.maketrans({sign: f" {sign} " for sign in "|;&()"} | {"\n": " ; ", "`": " ( "})


def is_ours(tool: str, given: Mapping[str, Any], roots: Sequence[str]) -> bool:
    """Whether a tool's output is our own words: our tool, our command, or a file of the memory."""
    parts = tool.replace(":", "__").split("__")
    if parts[-1].startswith(_TOOLS) or any(_NAME in part.split("_") for part in parts):
        return True
    named = [_told(given.get(key)) for key in _NAMING]
    if any(root in text and _COMMIT not in text for root in roots for text in named if root):
        return True
    return _runs_us(given.get("command"))


def _runs_us(command: object) -> bool:
    """Whether a shell command starts ours anywhere: `cd x && recollect show y`, `python -m recollect`."""
    before = ";"
    for word in _told(command).translate(_SIGNS).split():
        name = word.rsplit("/", 1)[-1].strip("\"'$")
        if name in (_NAME, f"{_NAME}-hook") and (before in _STARTERS or "=" in before):
            return True
        before = word
    return False


def _told(given: object) -> str:
    return " ".join(map(str, given)) if isinstance(given, list) else str(given or "")


def without_echo(output: str, roots: Sequence[str]) -> str:
    """A tool's output without our blocks, and without lines that point into the memory or are from it."""
    text = output
    for opening, closing in zip(_OPENINGS, _CLOSINGS, strict=True):
        text = _without_blocks(text, opening, closing)
    named = [root for root in roots if root]
    if _POINTER not in text and not any(root in text for root in named):
        return text
    marks = (_POINTER, *(f"-> {root}" for root in named))
    found = tuple(f"{root.lstrip('./')}/" for root in named)  # as searches and lists begin a line
    return "\n".join(
        line
        for line in text.split("\n")
        if not any(mark in line for mark in marks) and not line.lstrip(" \t./").startswith(found)
    )


def typed(prompt: str) -> str:
    """A prompt without blocks of ours that came back in it. One that does not end is the user's own words."""
    text = prompt
    for opening, closing in zip(_OPENINGS, _CLOSINGS, strict=True):
        end = text.rfind(closing)
        if end >= 0:
            end += len(closing)
            text = _without_blocks(text[:end], opening, closing) + text[end:]
    return text.strip()


def is_echo(output: str, left: str) -> bool:
    """Whether nothing is `left` of an output without our words but a search's heading, `Found 2 files`."""
    rest = left.strip()
    return left != output and (not rest or (rest.startswith("Found ") and "\n" not in rest))


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
