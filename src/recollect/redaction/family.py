"""A family: one kind of secret that a pattern describes, and where it is in a text."""

from __future__ import annotations

import re

from recollect.redaction.mark_search import is_large, marks_in
from recollect.redaction.spans import Span
from recollect.values import Frozen, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recollect.redaction.spans import ScannedText

_START = 3  # characters of a mark that `token_starts` compares
_DIVIDERS = {ord(sign): " " for sign in "/-.+~"}


class Family(Frozen):
    """One kind of secret.

    Without one of its `marks` in a text its pattern is not tried. The pattern begins at a mark, unless it is
    `free`: then it may begin anywhere, and must be linear by itself. A group named `secret` is the part to
    remove; without one the whole match goes. `exact`: the token must end with the match. `sure`: the format
    is so particular that words in it (EXAMPLE, test) do not make it a placeholder.
    """

    kind: str
    marks: tuple[str, ...]
    pattern: str
    exact: bool = False
    free: bool = False
    sure: bool = False


def key(kind: str, *prefixes: str, body: str, exact: bool = False, sure: bool = False) -> Family:
    """The family of keys that begin with one of these prefixes and continue with `body`.

    Of the signs with a meaning in patterns, prefixes contain only `.` and `$`.
    """
    alternatives = "|".join(prefixes).replace(".", r"\.").replace("$", r"\$")
    return Family(kind, prefixes, f"(?:{alternatives}){body}", exact, False, sure)


def family_spans(
    families: Iterable[Family], source: ScannedText, starts: frozenset[str] | None = None
) -> Iterator[Span]:
    """Each secret of these families. `starts`, if given, are the `token_starts` of the text."""
    for family in _with_marks_in(source.plain, families):
        for match in matches(family, source, starts):
            from recollect.redaction.prefix_check import is_certain  # most texts match no family

            if is_certain(family, match):
                yield Span(family.kind, *match.span("secret" if match.re.groups else 0))


def _with_marks_in(plain: str, families: Iterable[Family]) -> Iterable[Family]:
    """The families to try: of a large text only those that have marks in it, with these marks."""
    if not is_large(plain):
        return families
    families = tuple(families)
    marks = dict.fromkeys([mark for family in families for mark in family.marks])
    present = frozenset(marks_in(plain, tuple(marks)))
    return [
        replaced(family, marks=tuple([mark for mark in family.marks if mark in present]))
        for family in families
        if not present.isdisjoint(family.marks)
    ]


def matches(
    family: Family, source: ScannedText, starts: frozenset[str] | None = None
) -> Iterator[re.Match[str]]:
    """Where the family's pattern matches. `starts`, if given, are the `token_starts` of the text."""
    text, plain = source.text, source.plain
    for mark in family.marks:
        if family.free:
            if mark in plain:
                yield from re.compile(family.pattern).finditer(text)
                return
        elif (starts is None or _may_begin(mark, starts)) and mark in plain:
            yield from _matches_at(mark, family, source)


def _may_begin(mark: str, starts: frozenset[str]) -> bool:
    """Whether a token with these `token_starts` may begin with a mark."""
    start = mark[:_START]
    if start in starts or start.isalnum():
        return start in starts
    return start.translate(_DIVIDERS).split(" ", 1)[0] in starts


def token_starts(tokens: list[str]) -> frozenset[str]:
    """How these tokens and their parts begin, to two and to three characters.

    Searching a text for three hundred marks takes ten times as long as collecting these once.
    """
    starts = {""}  # of a mark that begins with a sign
    for token in tokens:
        starts.add(token[:_START])
        starts.add(token[:2])
        starts.add(token[1 : 1 + _START])  # after the letter of `\\t`
        starts.add(token[2 : 2 + _START])  # after the digits of `%3D`
        if not token.isalnum():
            parts = token.translate(_DIVIDERS).split()
            starts.update([part[:_START] for part in parts], [part[:2] for part in parts])
    return frozenset(starts)


def _matches_at(mark: str, family: Family, source: ScannedText) -> Iterator[re.Match[str]]:
    text, plain = source.text, source.plain
    pattern = re.compile(family.pattern)
    anywhere = not mark[0].isalnum()
    start = plain.find(mark)
    while start >= 0:
        match = pattern.match(text, start) if anywhere or _begins_token(text, start) else None
        if match and not (family.exact and _continues(text, match.end())):
            yield match
        # A match is not searched again, so that a text of nothing but marks stays linear.
        start = plain.find(mark, match.end() if match else start + 1)


def _begins_token(text: str, start: int) -> bool:
    """Whether a token can begin here: not in the middle of a word.

    The letter of an escape (a line feed in JSON) and the digits of `%3D` are no word.
    """
    if start == 0 or not (text[start - 1].isalnum() or text[start - 1] in "_+"):
        return True
    if text[start - 1] == "+":  # in the middle of base64, or after a plus sign
        run = text[max(0, start - 17) : start].replace("+", "").replace("/", "")
        return start < 17 or not run.isalnum()
    before = text[max(0, start - 3) : start]
    return before[-2:] in ("\\n", "\\r", "\\t") or (before[:1] == "%" and before[1:].isalnum())


def _continues(text: str, end: int) -> bool:
    """Whether the token goes on after the match."""
    return end < len(text) and (text[end].isalnum() or text[end] == "_")
