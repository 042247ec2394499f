"""The values of a Kubernetes secret: `data` and `stringData`, as YAML in blocks or in braces, or as JSON."""

from __future__ import annotations

import re

from recollect.redaction.spans import Span
from recollect.redaction.value_check import is_no_password, is_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_KIND = re.compile(r"""(?i)kind\\{0,3}["']?[ \t]{0,9}:[ \t]{0,9}\\{0,3}["']?secret(?![\w-])""")
_DATA = re.compile(
    r"""\\{0,3}["']?(?:data|stringData)\\{0,3}["']?[ \t]{0,9}:[ \t\r]{0,9}(?P<open>\{)?"""
)
_LINE = re.compile(
    r"""[ \t]{0,60}(?:- )?["']?[\w./-]{1,120}["']?[ \t]{0,9}:(?:[ \t]{1,20}|(?=[\r\n]|\Z))"""
)
_PAIR = re.compile(
    r"""[\w./-]{1,120}\\{0,3}["']?[ \t]{0,9}:\s{0,20}\\{0,3}["']?(?P<secret>[^"',{}\\\n]{3,8000})"""
)
_MOST = 100_000  # characters of one secret


def kubernetes_secrets(text: str) -> Iterator[Span]:
    """The values in each document of the kind Secret."""
    start = 0
    while start < len(text):
        end = text.find("\n---", start)
        end = end if end >= 0 else len(text)
        if _is_secret(text, start, end):
            for match in _DATA.finditer(text, start, end):
                yield from (
                    _in_braces(text, match.end(), end) if match["open"] else _block(text, match, end)
                )
        start = end + 1


def _is_secret(text: str, start: int, end: int) -> bool:
    """Whether a document is of the kind Secret."""
    at = text.find("kind", start, end)
    while at >= 0 and not _KIND.match(text, at):
        at = text.find("kind", at + 4, end)
    return at >= 0


def _in_braces(text: str, start: int, end: int) -> Iterator[Span]:
    close = text.find("}", start, min(end, start + _MOST))
    for match in _PAIR.finditer(text, start, close if close >= 0 else min(end, start + _MOST)):
        yield from _secret(text, match.start("secret"), match.end("secret"))


def _block(text: str, match: re.Match[str], end: int) -> Iterator[Span]:
    """The values of the lines below `data:` that are further in."""
    line = text.rfind("\n", 0, match.start()) + 1
    if text[line : match.start()].strip(" \t-") or text[match.end() : match.end() + 1] not in (
        "\n",
        "#",
    ):
        return
    depth = match.start() - line
    at = text.find("\n", match.end(), end) + 1
    while at:
        following = text.find("\n", at, end) + 1
        written = text[at : following or end]
        inner = len(written) - len(written.lstrip(" \t"))
        if written.strip() and inner <= depth:
            return
        if (name := _LINE.match(written)) and not written.lstrip().startswith("#"):
            if written[name.end() : name.end() + 1] in ("|", ">"):
                following = _end_of_scalar(text, following, end, inner)
                yield from _scalar(text, at + written.find("\n") + 1, following or end)
            else:
                yield from _secret(text, at + name.end(), following or end)
        at = following


def _scalar(text: str, start: int, end: int) -> Iterator[Span]:
    """What is assigned on each line of a text inside a secret, or the line where nothing is."""
    at = start
    while at < end:
        following = text.find("\n", at, end) + 1 or end
        line = text[at:following]
        sign = max(line.find(": ") + 1, line.find("=")) if "PRIVATE KEY" not in line else -1
        yield from _secret(text, at + sign + 1 if sign > 0 else at, following)
        at = following


def _end_of_scalar(text: str, at: int, end: int, depth: int) -> int:
    """Where the lines end that are further in than `depth`; 0 at the end of the text."""
    while at:
        following = text.find("\n", at, end) + 1
        written = text[at : following or end]
        if written.strip() and len(written) - len(written.lstrip(" \t")) <= depth:
            return at
        at = following
    return 0


def _secret(text: str, start: int, end: int) -> Iterator[Span]:
    """The value between two places, without quotes, blanks and comments, unless it is a placeholder."""
    written = text[start:end]
    comment = written.find(" #") if "\n" not in written.strip() else -1
    plain = (written[:comment] if comment >= 0 else written).strip()
    value = plain.strip("\"'")
    if value[:1] in ("!", "&", "*") or value in ("null", "~", "{}", "[]"):
        return
    if value and not is_reference(value) and not is_no_password(value):
        at = start + written.index(value)
        yield Span("kubernetes secret", at, at + len(value))
