"""The block that goes into a prompt: pointers, not bodies; data, never instructions.

Everything in it is escaped, on one line and bounded, so that no title, tag or path can end the block,
start another, or pass for anything but text. The same memories give the same bytes.
"""

from __future__ import annotations

from recollect.records.display import one_line
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_CHARACTERS = 2000
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_FENCE, _ESCAPED_FENCE = "``" + "`", "&#96;" * 3  # would begin a block of code in Markdown


class Pointer(Frozen):
    """The fields of a memory that a prompt gets."""

    id: str
    category: str
    title: str
    path: str
    tags: tuple[str, ...]
    gist: str = ""


def block(pointers: Sequence[Pointer], source: str) -> str:
    """The block for these memories; those that would make it too long are left out. '' for none."""
    return enclosed([pointer_line(pointer) for pointer in pointers], source)


def enclosed(lines: Sequence[str], source: str, most: int = MOST_CHARACTERS) -> str:
    """A block of safe lines, without those that would take it past `most` characters. '' for none."""
    start, end = f'<memory-context source="{_attribute(source)}/">', "</memory-context>"
    room = most - len(start) - len(end) - 2
    fitting: list[str] = []
    for line in lines:
        if len(line) + 1 <= room:
            fitting.append(line)
            room -= len(line) + 1
    return "\n".join([start, *fitting, end]) if fitting else ""


def pointer_line(pointer: Pointer) -> str:
    """The line of a memory, with a second one for its gist."""
    tags = ",".join(safe(tag, 40) for tag in pointer.tags[:12])
    title = safe(pointer.title, 300)
    line = f"- [{safe(pointer.category.upper())}] {title} -> {safe(pointer.path)} #tags:{tags}"
    return f"{line}\n  {safe(pointer.gist)}" if pointer.gist else line


def safe(text: str, most: int | None = None) -> str:
    """One line of text that XML and Markdown take for text: its first `most` characters, escaped whole."""
    line = one_line(text)[:most].strip().translate(_ESCAPES)
    return line.replace(_FENCE, _ESCAPED_FENCE) if _FENCE in line else line


def _attribute(text: str) -> str:
    return safe(text).replace('"', "&quot;")


def search_pointer(skill: str = "") -> str:
    """The line that says how to search, with the harness's own skill or command where there is one."""
    by_skill = f"{skill} TOPIC, " if skill else ""
    return (
        "<!-- No memory of this project answers that prompt by itself. To look further: "
        f"{by_skill}the memory_search tool, or: recollect search TOPIC -->"
    )
