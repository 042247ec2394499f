"""The echo guard: Recollect never captures its own output.

A sentence that is recalled, captured and recalled again fills a memory with junk. So nothing is captured from
our commands and tools, from memory files, or from blocks of ours inside any output.
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
_COMMIT = "git commit"  # memories are committed with the code; git does not print their contents
_POINTER = "<!-- No memory of this project answers"
# The arguments that name a file; the text to write may mention anything.
_NAMING = ("file_path", "command")
# What precedes a command in a shell, and the signs among them that need no space around them.
_STARTERS = frozenset("| ; & ( then do exec sudo time -m -c -lc uvx run".split())  # noqa: SIM905
_SIGNS = str.maketrans({sign: f" {sign} " for sign in "|;&()"} | {"\n": " ; ", "`": " ( "})


def is_ours(tool: str, arguments: Mapping[str, Any], roots: Sequence[str]) -> bool:
    """Whether a tool's output is ours: our tool, our command, or a memory file."""
    parts = tool.replace(":", "__").split("__")
    if parts[-1].startswith(_TOOLS) or any(_NAME in part.split("_") for part in parts):
        return True
    named = [_as_text(arguments.get(key)) for key in _NAMING]
    if any(root in text and _COMMIT not in text for root in roots for text in named if root):
        return True
    return _runs_us(arguments.get("command"))


def _runs_us(command: object) -> bool:
    """Whether a shell command runs ours anywhere: `cd x && recollect show y`, `python -m recollect`."""
    before = ";"
    for word in _as_text(command).translate(_SIGNS).split():
        name = word.rsplit("/", 1)[-1].strip("\"'$")
        if name in (_NAME, f"{_NAME}-hook") and (before in _STARTERS or "=" in before):
            return True
        before = word
    return False


def _as_text(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value or "")


def without_echo(output: str, roots: Sequence[str]) -> str:
    """A tool's output without our blocks and without lines of or about memory files."""
    text = output
    for opening, closing in zip(_OPENINGS, _CLOSINGS, strict=True):
        text = _without_blocks(text, opening, closing)
    named = [root for root in roots if root]
    if _POINTER not in text and not any(root in text for root in named):
        return text
    marks = (_POINTER, *(f"-> {root}" for root in named))
    prefixes = tuple(f"{root.lstrip('./')}/" for root in named)  # as searches and lists begin a line
    return "\n".join(
        line
        for line in text.split("\n")
        if not any(mark in line for mark in marks) and not line.lstrip(" \t./").startswith(prefixes)
    )


def typed(prompt: str) -> str:
    """A prompt without our blocks. A block that does not end is the user's own text."""
    text = prompt
    for opening, closing in zip(_OPENINGS, _CLOSINGS, strict=True):
        end = text.rfind(closing)
        if end >= 0:
            end += len(closing)
            text = _without_blocks(text[:end], opening, closing) + text[end:]
    return text.strip()


def is_echo(output: str, left: str) -> bool:
    """Whether what is `left` of an output without our blocks is at most a heading like `Found 2 files`."""
    rest = left.strip()
    return left != output and (not rest or (rest.startswith("Found ") and "\n" not in rest))


def _without_blocks(text: str, opening: str, closing: str) -> str:
    """The text without blocks; a block that was cut off extends to the end of the text."""
    start = text.find(opening)
    if start < 0:
        return text
    parts = []
    at = 0
    while start >= 0:
        parts.append(text[at:start])
        end = text.find(closing, start)
        at = len(text) if end < 0 else end + len(closing)
        start = text.find(opening, at)
    return "".join([*parts, text[at:]])
