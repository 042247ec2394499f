"""A family: one kind of secret, the marks that give it away, and its pattern."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator
    from typing import TypeAlias, TypeVar

    _Told = TypeVar("_Told")
    _Asked: TypeAlias = Callable[[str], _Told]
    Screen = Callable[[str, int], bool]

_START = 3
_SHORTEST_KEY = 16  # no key that is issued is shorter
_BETWEEN = {ord(mark): " " for mark in "\"'`=:;,|&?!#%@$*^\\<>()[]{}"}
_DIGITS = frozenset("0123456789")
_HEX = "0123456789abcdef-"
_GROUP = "(?P<secret>"
# How a class of characters is written, and what it stands for.
_SPELLED = (
    ("\\w", "A-Za-z0-9_"),
    ("A-Z", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    ("a-z", "abcdefghijklmnopqrstuvwxyz"),
    ("A-F", "ABCDEF"),
    ("a-f", "abcdef"),
    ("0-9", "0123456789"),
)
_compiled: dict[str, re.Pattern[str]] = {}


class Family:
    """One kind of secret.

    Without one of its `marks` in a text the pattern is not even compiled. A pattern begins at a mark, unless
    it is `free`: then it may begin anywhere, and must be linear by itself. A group named `secret` marks the
    part to take out; without one the whole match goes. `exact`: what follows must not go on like a token.
    `marked`: what is told as the body follows a mark.
    `screen`: whether a secret is possible, given the text and where a mark stands in it. It may say yes too
    often and never no too often; without one, `marked` families look at what follows the mark.
    `sure`: the format is so particular that words in it (EXAMPLE, test) do not make it a placeholder.
    """

    # Two hundred are made whenever a hook looks at a text; a value takes three times as long to make.
    __slots__ = ("body", "exact", "free", "kind", "marked", "marks", "screen", "sure")

    def __init__(  # noqa: PLR0913, PLR0917 - each is one word of what a family is
        self,
        kind: str,
        marks: tuple[str, ...],
        body: str,
        exact: bool = False,
        free: bool = False,
        sure: bool = False,
        marked: bool = False,
        screen: Screen | None = None,
    ) -> None:
        self.kind, self.marks, self.body = kind, marks, body
        self.exact, self.free, self.sure, self.marked = exact, free, sure, marked
        self.screen = screen

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
            if mark in text and _is_possible(mark, family.screen, text):
                yield from compiled(family.pattern).finditer(text)
                return
        elif (starts is None or mark[:_START] in starts) and mark in text:
            yield from _at(mark, family, text)


def _is_possible(mark: str, screen: Screen | None, text: str) -> bool:
    """Whether the screen lets one of a mark's places pass."""
    if screen is None:
        return True
    at = text.find(mark)
    while at >= 0 and not screen(text, at):
        at = text.find(mark, at + 1)
    return at >= 0


def remembering(most: int) -> Callable[[_Asked[_Told]], _Asked[_Told]]:
    """Keep up to `most` answers, for what is asked again and again. `functools` takes 2 ms to load."""

    def remembered(of: _Asked[_Told]) -> _Asked[_Told]:
        answers: dict[str, _Told] = {}

        def told(text: str) -> _Told:
            if text not in answers:
                if len(answers) >= most:
                    answers.clear()
                answers[text] = of(text)
            return answers[text]

        return told

    return remembered


def has_digit(text: str) -> bool:
    """Whether a digit is in it."""
    return not _DIGITS.isdisjoint(text)


def may_be_drawn(token: str) -> bool:
    """Whether a token may be drawn by lot: with a digit, and with upper case or hexadecimal throughout."""
    return has_digit(token) and (token.lower() != token or not token.strip(_HEX))


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
        found = None
        if (anywhere or begins(text, start)) and _may_follow(family, text, start, len(mark)):
            found = compiled(family.pattern).match(text, start)
        if found and not (family.exact and goes_on(text, found.end())):
            yield found
        # A match is not looked into again: a text of nothing but marks stays linear.
        start = text.find(mark, found.end() if found else start + 1)


def _may_follow(family: Family, text: str, start: int, size: int) -> bool:
    """Whether what stands at a mark can be the family's: most of what begins like a key is a word."""
    if family.screen is not None:
        return family.screen(text, start)
    if not family.marked:
        return True
    allowed, least, whole = _demand(family.body)
    body = start + size
    run = text[body : body + least]
    if len(run) < least or (run.isascii() and run.strip(allowed)):
        return False
    return not (whole and family.exact and goes_on(text, body + least))


def _demand(body: str) -> tuple[str, int, bool]:
    """What a pattern begins with: `[a-f0-9]{32}` asks for 32 of sixteen characters, and that is all of it."""
    inside, bracket, rest = body.removeprefix(_GROUP)[1:].partition("]")
    least, brace, more = rest[1:].partition("}")
    if not body.removeprefix(_GROUP).startswith("[") or not (bracket and brace and rest[0] == "{"):
        return "", 0, False
    for written, meant in _SPELLED:
        inside = inside.replace(written, meant)
    return inside, int(least.partition(",")[0]), not (more or "," in least)


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
