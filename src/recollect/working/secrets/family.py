"""A family: one kind of secret, the marks that give it away, and its pattern."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_START = 3
_SHORTEST_KEY = 16  # no key that is issued is shorter
_BETWEEN = {ord(mark): " " for mark in "\"'`=:;,|&?!#%@$*^\\<>()[]{}"}
_DIGITS = frozenset("0123456789")
_compiled: dict[str, re.Pattern[str]] = {}


class Family:
    """One kind of secret.

    Without one of its `marks` in a text the pattern is not even compiled. A pattern begins at a mark, unless
    it is `free`: then it may begin anywhere, and must be linear by itself. A group named `secret` marks the
    part to take out; without one the whole match goes. `exact`: what follows must not go on like a token.
    `marked`: what is told as the body follows a mark.
    `plain`: so many letters and digits follow a mark that is an everyday word; looked at before the pattern.
    `sure`: the format is so particular that words in it (EXAMPLE, test) do not make it a placeholder.
    """

    # Two hundred are made whenever a hook looks at a text; a value takes three times as long to make.
    __slots__ = ("body", "exact", "free", "kind", "marked", "marks", "plain", "sure")

    def __init__(  # noqa: PLR0913, PLR0917 - each is one word of what a family is
        self,
        kind: str,
        marks: tuple[str, ...],
        body: str,
        exact: bool = False,
        free: bool = False,
        sure: bool = False,
        marked: bool = False,
        plain: int = 0,
    ) -> None:
        self.kind, self.marks, self.body = kind, marks, body
        self.exact, self.free, self.sure, self.marked = exact, free, sure, marked
        self.plain = plain

    @property
    def pattern(self) -> str:
        """The whole pattern; put together when it is needed, which is seldom."""
        if not self.marked:
            return self.body
        marks = [mark.replace(".", r"\.").replace("$", r"\$") for mark in self.marks]
        return (f"(?:{'|'.join(marks)})" if len(marks) > 1 else marks[0]) + self.body


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled when it is first needed: most texts need none."""
    found = _compiled.get(pattern)
    if found is None:
        import re

        found = _compiled[pattern] = re.compile(pattern)
    return found


def matches(family: Family, text: str, starts: frozenset[str] | None = None) -> Iterator[re.Match[str]]:
    """Where the family's pattern matches. `starts`, if given, are those of the text's long tokens."""
    for mark in family.marks:
        if family.free:
            if mark in text:
                yield from compiled(family.pattern).finditer(text)
                return
        elif (starts is None or mark[:_START] in starts) and mark in text:
            yield from _at(mark, family, text)


def has_digit(text: str) -> bool:
    """Whether a digit is in it."""
    return not _DIGITS.isdisjoint(text)


def tokens_of(text: str) -> list[str]:
    """The tokens of a text that are long enough to be keys."""
    between = text.replace("\\n", " ").translate(_BETWEEN).split()
    return [token for token in between if len(token) >= _SHORTEST_KEY]


def starts_of(tokens: list[str]) -> frozenset[str]:
    """How these tokens begin, to two and to three characters.

    Looking for three hundred marks in a text takes ten times as long as taking these together once.
    """
    found = set()
    for token in tokens:
        found.add(token[:_START])
        found.add(token[:2])
        found.add(token[2 : 2 + _START])  # after the digits of `%3D`
        if "/" in token or "-" in token or "." in token:
            parts = token.replace("/", "-").replace(".", "-").split("-")
            found.update([part[:_START] for part in parts])
    return frozenset(found)


def _at(mark: str, family: Family, text: str) -> Iterator[re.Match[str]]:
    anywhere = not mark[0].isalnum()
    start = text.find(mark)
    while start >= 0:
        body = start + len(mark)
        goes_on_plainly = text[body : body + family.plain].isalnum() or not family.plain
        found = None
        if goes_on_plainly and (anywhere or begins(text, start)):
            found = compiled(family.pattern).match(text, start)
        if found and not (family.exact and goes_on(text, found.end())):
            yield found
        # A match is not looked into again: a text of nothing but marks stays linear.
        start = text.find(mark, found.end() if found else start + 1)


def begins(text: str, start: int) -> bool:
    """Whether a token can begin here: not in the middle of a word.

    The letter of an escape (a line feed in JSON) and the digits of `%3D` are no word.
    """
    if start == 0 or not (text[start - 1].isalnum() or text[start - 1] == "_"):
        return True
    before = text[max(0, start - 3) : start]
    return before[-2:] in ("\\n", "\\r", "\\t") or (before[:1] == "%" and before[1:].isalnum())


def goes_on(text: str, end: int) -> bool:
    """Whether the token goes on after what was matched of it."""
    return end < len(text) and (text[end].isalnum() or text[end] == "_")


_ENDINGS = (
    *(".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".css", ".js", ".mjs", ".map", ".html"),
    *(".json", ".pdf", ".zip", ".tar", ".gz", ".whl", ".woff", ".woff2", ".mp4", ".py", ".ts", ".md"),
)


def names_file(text: str, end: int) -> bool:
    """Whether what was matched is the name of a file: `icon-7a388b69....png`."""
    return text.startswith(_ENDINGS, end)


def is_masked(text: str, end: int) -> bool:
    """Whether what was matched goes on in a mask: `xoxp-57237-####`."""
    return text.startswith(("###", "***", "..."), end)
