"""What a tool did, as rules look at it: its input, its output, and whether it failed.

The input has our field names; each harness translates its own (see `recollect.working.tools`).
"""

from __future__ import annotations

from recollect.values import Frozen
from recollect.working.tools import patched_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MOST_OUTPUT = 50_000  # characters of an output that are looked at: its beginning and its end


class Observed(Frozen):
    """One tool call. `paths` are the files it names, `command` what a shell ran, `sought` a search's text."""

    tool: str
    given: str
    output: str
    failed: bool
    command: str = ""
    sought: str = ""
    paths: tuple[str, ...] = ()


def observed(tool: str, tool_input: Mapping[str, Any], output: str, *, failed: bool) -> Observed:
    """A tool call in one form, whichever harness reports it. Colours and middles of long outputs are out."""
    text = _uncoloured(_ends(output))
    command, sought = _text(tool_input, "command"), _text(tool_input, "pattern")
    path = _text(tool_input, "file_path")
    paths = patched_files(_text(tool_input, "patch") or command) or ((path,) if path else ())
    given = "\n".join(part for part in (command, sought, *paths) if part)
    has_failed = failed or bool(command and _exit_code(text))
    return Observed(tool, given, text, has_failed, command, sought, paths)


def _text(tool_input: Mapping[str, Any], field: str) -> str:
    value = tool_input.get(field)
    return value if isinstance(value, str) else ""


def _ends(output: str) -> str:
    if len(output) <= MOST_OUTPUT:
        return output
    half = MOST_OUTPUT // 2
    return f"{output[:half]}\n[...]\n{output[-half:]}"


def _uncoloured(text: str) -> str:
    """Without the escape sequences that colour a terminal."""
    if "\x1b[" not in text:
        return text
    first, *rest = text.split("\x1b[")
    return first + "".join(part.lstrip("0123456789;?")[1:] for part in rest)


def _exit_code(output: str) -> int:
    """The exit code that some harnesses write before or after the output; 0 when there is none."""
    for part in (output[:200], output[-200:]):
        _, found, after = part.lower().partition("exit code")
        number = after.lstrip(": ").split("\n", 1)[0].strip(" .)]}")
        if found and number.isdigit():
            return int(number[:3])
    return 0
