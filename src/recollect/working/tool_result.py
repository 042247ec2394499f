"""A finished tool call as rules see it: its input, its output, whether it failed.

The input has our field names; each harness translates its own (see `recollect.working.tools`).
"""

from __future__ import annotations

from recollect.values import Frozen
from recollect.working.tools import patched_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MOST_OUTPUT = 50_000  # characters of an output that rules see: its beginning and its end
# Characters around the cut middle that are redacted with the ends, so that a secret at a cut is complete.
# The longest secrets are private keys; one of 8,192 bits takes 6,400 characters.
CUT_MARGIN = 10_000


class ToolResult(Frozen):
    """One tool call. `paths` are the files it names, `command` what a shell ran, `search` a search's text.

    `output` is without terminal colours, and of a long one without its middle; `wide_output` is the same
    with a margin at the cuts, and is what the gate redacts.
    """

    tool: str
    output: str
    failed: bool
    command: str = ""
    search: str = ""
    paths: tuple[str, ...] = ()
    wide_output: str = ""

    @property
    def input_text(self) -> str:
        """The input of the tool, one argument per line."""
        return "\n".join(part for part in (self.command, self.search, *self.paths) if part)


def read_tool_result(
    tool: str, tool_input: Mapping[str, Any], output: str, *, failed: bool
) -> ToolResult:
    """A tool call in one form, whichever harness reports it. Nothing is redacted yet."""
    wide = _uncoloured(_with_margin(output))
    text = without_middle(wide)
    command, search = _text(tool_input, "command"), _text(tool_input, "pattern")
    path = _text(tool_input, "file_path")
    paths = patched_files(_text(tool_input, "patch") or command) or ((path,) if path else ())
    has_failed = failed or bool(command and _exit_code(text))
    return ToolResult(tool, text, has_failed, command, search, paths, wide)


def _text(tool_input: Mapping[str, Any], field: str) -> str:
    value = tool_input.get(field)
    return value if isinstance(value, str) else ""


def without_middle(output: str) -> str:
    """A long output as its beginning and its end."""
    if len(output) <= MOST_OUTPUT:
        return output
    half = MOST_OUTPUT // 2
    return f"{output[:half]}\n[...]\n{output[-half:]}"


def _with_margin(output: str) -> str:
    """A long output as its ends with their margins, cut between words where there are any."""
    half = MOST_OUTPUT // 2
    wide = half + CUT_MARGIN
    if len(output) <= 2 * wide:
        return output
    head, tail = output[:wide], output[-wide:]
    last_space = max(head.rfind(" ", half), head.rfind("\n", half))
    spaces = [at for mark in " \n" if (at := tail.find(mark, 0, CUT_MARGIN)) >= 0]
    head = head[:last_space] if last_space >= 0 else head
    return f"{head}\n[...]\n{tail[min(spaces, default=0) :]}"


def _uncoloured(text: str) -> str:
    """The text without the escape sequences that colour a terminal."""
    if "\x1b[" not in text:
        return text
    first, *rest = text.split("\x1b[")
    return first + "".join(part.lstrip("0123456789;?")[1:] for part in rest)


def _exit_code(output: str) -> int:
    """The exit code that some harnesses write before or after an output; 0 if there is none."""
    for part in (output[:200], output[-200:]):
        _, label, after = part.lower().partition("exit code")
        number = after.lstrip(": ").split("\n", 1)[0].strip(" .)]}")
        if label and number.isdigit():
            return int(number[:3])
    return 0
