"""What a tool did, as rules look at it: what it was given, what it returned, whether it failed.

Harnesses name the same things differently; here every name they use is known, and nothing else.
"""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MOST_OUTPUT = 50_000  # characters of an output that are looked at: its beginning and its end
_PATHS = ("file_path", "filePath", "path", "absolute_path", "target_file", "notebook_path", "filename")
_COMMANDS = ("command", "cmd", "script")
_SEARCHES = ("pattern", "query", "regex")
_PATCHES = ("input", "patch", "patchText", *_COMMANDS)
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")


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
    command = _text(tool_input, _COMMANDS)
    sought = _text(tool_input, _SEARCHES)
    paths = _patched(_text(tool_input, _PATCHES)) or _named(tool_input)
    given = "\n".join(part for part in (command, sought, *paths) if part)
    has_failed = failed or bool(command and _exit_code(text))
    return Observed(tool, given, text, has_failed, command, sought, paths)


def _text(given: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first of these that is given; a list of words is a command line, of which the last is run."""
    for name in names:
        match given.get(name):
            case str() as text if text:
                return text
            case [*_, str() as last] as words:
                shell = len(words) > 2 and str(words[1]).startswith("-")
                return last if shell else " ".join(map(str, words))
    return ""


def _named(given: Mapping[str, Any]) -> tuple[str, ...]:
    found = _text(given, _PATHS)
    return (found,) if found else ()


def _patched(patch: str) -> tuple[str, ...]:
    """The files that a patch names."""
    if "*** Begin Patch" not in patch:
        return ()
    named = [
        line.removeprefix(mark).strip()
        for line in patch.splitlines()
        for mark in _PATCHED
        if line.startswith(mark)
    ]
    return tuple(dict.fromkeys(named))


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
