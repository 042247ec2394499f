"""A user's pattern, ready to search with. No text can hang it: it is refused, linear, or fed in windows.

With google-re2 installed, matching is linear whatever the pattern. It reads word characters and the end of a
text its own way, so texts where that would show, and patterns that it cannot say, are left to the standard
library. There a pattern whose time grows faster than the text gets it in windows that overlap, so a match
longer than the overlap can be missed.
"""

from __future__ import annotations

from recollect.patterns.regex_safety import WINDOW, examine
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator
    from typing import Any, Literal, Protocol

    class _Compiled(Protocol):
        """What both engines have: matches between two places of a text."""

        def finditer(self, text: str, pos: int, endpos: int) -> Iterator[re.Match[str]]: ...

    Engine = Literal["re2", "re"]

MOST_TEXT = 65_536  # characters of a text that are looked at
OVERLAP = 150


class RefusedPatternError(ValueError):
    """A pattern that is not searched with; the message says why."""


class Matcher(Frozen):
    """A compiled pattern: `plain` of the standard library, `linear` where there is that engine."""

    pattern: str
    plain: Any
    linear: Any
    windowed: bool

    def engine(self, text: str) -> Engine:
        """Which engine searches this text."""
        differs = not text.isascii() or ("$" in self.pattern and text.endswith("\n"))
        return "re" if self.linear is None or differs else "re2"

    def found(self, text: str) -> bool:
        """Whether it is anywhere in the first `MOST_TEXT` characters."""
        return next(self.spans(text), None) is not None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where it is, in order, not overlapping."""
        linear = self.engine(text) == "re2"
        chosen: _Compiled = self.linear if linear else self.plain
        done = 0
        for start, end in self._windows(min(len(text), MOST_TEXT), whole=linear or not self.windowed):
            for match in chosen.finditer(text, start, end):
                if match.start() >= done:
                    done = max(match.end(), match.start() + 1)
                    yield match.span()

    @staticmethod
    def _windows(length: int, *, whole: bool) -> Iterator[tuple[int, int]]:
        if whole:
            yield 0, length
            return
        for start in range(0, max(length - OVERLAP, 1), WINDOW - OVERLAP):
            yield start, min(start + WINDOW, length)


def compiled(pattern: str, *, linear: bool = True) -> Matcher:
    """A pattern made ready. Raises RefusedPatternError with the reason.

    Not `linear`: with the standard library alone, as in a hook, where nothing else can be loaded.
    """
    verdict = examine(pattern)
    if verdict.refused:
        raise RefusedPatternError(verdict.refused)
    import re

    fast = _linear(pattern) if linear else None
    return Matcher(pattern, re.compile(pattern), fast, windowed=verdict.degree > 1)


def _linear(pattern: str) -> Any:
    """The pattern in the linear engine; None where there is none or it cannot say this."""
    try:
        import re2
    except ImportError:
        return None
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return None
