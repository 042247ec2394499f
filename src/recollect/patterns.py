r"""Patterns that users write: searched with RE2, in time linear in the text whatever the pattern.

RE2 has no look-around and no backreferences, and `\w`, `\d`, `\s` and `\b` mean ASCII. What it does not
accept is refused with a reason. It is imported when a pattern is first used: most projects have none.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MAX_PATTERN = 1_000  # characters
MAX_INSTRUCTIONS = 10_000  # of the compiled pattern; `.{0,200}` has 1,804
MAX_SEARCHED = 65_536  # characters that `contains` looks at
# `spans` searches pieces: a search that runs on to the end after each short match is quadratic in the piece,
# so that the whole stays linear in the text.
PIECE, OVERLAP = 8_192, 2_048

# Part of RE2's message, and what to write instead.
_ADVICE = (
    ("(?=", "look-ahead is not supported: match the text that follows too"),
    ("(?!", "look-ahead is not supported: exclude characters with a class such as [^x], or use \\b"),
    ("(?<=", "look-behind is not supported: match the text before it too"),
    ("(?<!", "look-behind is not supported: exclude characters with a class such as [^x], or use \\b"),
    ("(?P", "backreferences are not supported: repeat the group's pattern instead"),
    ("(?>", "atomic groups are not supported and not needed: use (?:...)"),
    ("++", "possessive quantifiers are not supported and not needed: remove the second sign"),
    ("*+", "possessive quantifiers are not supported and not needed: remove the second sign"),
    ("sequence: \\Z", "write \\z for the end of the text"),
    ("sequence: \\u", "write \\x{0041} for a character's number"),
    ("repetition size", "a repeat count can be at most 1000"),
)


class RefusedPatternError(ValueError):
    """RE2 does not accept a pattern; the message says why and what to write instead."""


def refusal(pattern: str) -> str | None:
    """Why this pattern is refused; None for a pattern that can be searched."""
    try:
        _compiled(pattern)
    except RefusedPatternError as error:
        return str(error)
    return None


def contains(text: str, pattern: str) -> bool:
    """Whether the pattern matches in the first `MAX_SEARCHED` characters. Raises RefusedPatternError."""
    return _compiled(pattern).search(_encodable(text[:MAX_SEARCHED])) is not None


def spans(text: str, pattern: str) -> Iterator[tuple[int, int]]:
    """(start, end) of what the pattern matches, in order; matches that touch are joined, empty ones left out.

    A match of up to `OVERLAP` characters is always complete. Raises RefusedPatternError.
    """
    joined: tuple[int, int] | None = None
    for start, end in _matches(_encodable(text), _compiled(pattern)):
        if joined is None:
            joined = start, end
        elif start <= joined[1]:
            joined = min(joined[0], start), max(joined[1], end)
        else:
            yield joined
            joined = start, end
    if joined is not None:
        yield joined


def _matches(text: str, compiled: Any) -> Iterator[tuple[int, int]]:
    for at in range(0, max(len(text) - OVERLAP, 1), PIECE - OVERLAP):
        # One more character on each side, so that `^`, `$` and `\b` see what is there.
        first = max(at - 1, 0)
        piece = text[first : at + PIECE + 1]
        for match in compiled.finditer(piece, at - first, at - first + PIECE):
            if match.end() > match.start():
                yield first + match.start(), first + match.end()


def _compiled(pattern: str) -> Any:
    """The compiled pattern; RE2 itself remembers the ones it has compiled."""
    if len(pattern) > MAX_PATTERN:
        raise RefusedPatternError(
            f"it has {len(pattern)} characters; at most {MAX_PATTERN} are allowed"
        )
    re2 = import_re2()
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except UnicodeEncodeError:
        raise RefusedPatternError("it contains half of a surrogate pair") from None
    except re2.error as error:
        raise RefusedPatternError(_explained(error)) from None
    if compiled.programsize > MAX_INSTRUCTIONS:
        raise RefusedPatternError("it is too large when compiled: use smaller repeat counts")
    return compiled


def _explained(error: Exception) -> str:
    message = error.args[0].decode("utf-8", "replace")
    advice = next((advice for part, advice in _ADVICE if part in message), "")
    if not advice and message.startswith("invalid escape sequence") and message[-1:].isdigit():
        advice = "backreferences are not supported: repeat the group's pattern instead"
    return f"RE2 does not accept it ({message})" + (f"; {advice}" if advice else "")


def _encodable(text: str) -> str:
    """The text with lone surrogates as `?`, because RE2 reads UTF-8. Of the same length."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def import_re2() -> Any:
    """The module, also in a process that was started without installed packages."""
    try:
        import re2
    except ImportError:
        _add_site_packages()
        import re2
    return re2


def _add_site_packages() -> None:
    """Make installed packages importable. Hooks start without them (`python -S`) to start faster."""
    import os
    import sys
    import sysconfig

    prefix = os.path.dirname(os.path.dirname(sys.executable))
    packages = sysconfig.get_path("platlib", "venv", {"base": prefix, "platbase": prefix})
    if packages not in sys.path:
        sys.path.append(packages)
