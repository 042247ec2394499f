"""E-mail addresses of people. Those of machines, of examples and of a commit's authors are left alone."""

from __future__ import annotations

from recollect.redaction.spans import Span
from recollect.redaction.value_check import is_placeholder, word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.redaction.spans import ScannedText

_MOST_LOCAL, _MOST_DOMAIN = 64, 255  # characters; RFC 5321 allows no more
_IN_DOMAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-"
# `git@host:path`, and addresses of machines and of nobody in particular.
_IMPERSONAL = word_set(
    "git hg svn noreply no-reply donotreply do-not-reply support info admin root user users username",
    "example email mail name me you someone somebody test postmaster webmaster hello contact",
)
_EXAMPLE_DOMAINS = (
    "example.",
    "test.",
    "localhost",
    "domain.",
    "company.",
    "noreply.",
    "email.com",
    "yourdomain",
)
# Public in the history of the repository already; a log would be unreadable without them.
_AUTHORSHIP = ("author", "commit", "committer", "tagger", "reviewer", "maintainer", "from")


def email_addresses(source: ScannedText) -> Iterator[Span]:
    """Each address of a person."""
    text = source.text
    sign = text.find("@")
    while sign >= 0:
        start, end = _local(text, sign), _domain(text, sign + 1)
        if start < sign < end - 1 and _is_personal(text, start, sign, end):
            yield Span("e-mail address", start, end)
        sign = text.find("@", sign + 1)


def _local(text: str, sign: int) -> int:
    """Where the part before the sign begins; the sign itself when nothing there can be one."""
    start, least = sign, max(0, sign - _MOST_LOCAL)
    while start > least and (text[start - 1].isalnum() or text[start - 1] in "_.+%-"):
        start -= 1
    before = text[start - 1 : start]
    if not text[start:sign].strip("_.+%-"):
        return sign  # the sign of a decorator, in a diff
    return sign if before and (before.isalnum() or before in "_.+%-/:@") else start


def _domain(text: str, start: int) -> int:
    """Where the host ends whose name begins at `start`; `start` when it has no dot in it."""
    rest = text[start : start + _MOST_DOMAIN]
    host = rest[: len(rest) - len(rest.lstrip(_IN_DOMAIN))].partition("..")[0].rstrip(".-")
    return start + len(host) if host[:1].isalnum() and "." in host else start


def _is_personal(text: str, start: int, sign: int, end: int) -> bool:
    local, domain = text[start:sign].lower(), text[sign + 1 : end].lower()
    ending = domain.rpartition(".")[2]
    if not (ending.isalpha() and 2 <= len(ending) <= 24) or ending in _NOT_DOMAINS:
        return False
    if local in _IMPERSONAL or is_placeholder(local) or _is_example(domain):
        return False
    return text[end : end + 1] not in (":", "(") and not _is_authorship(text, start)


_NOT_DOMAINS = word_set(
    "png jpg jpeg gif svg webp ico css js ts py rb go rs md txt json yaml yml toml lock service socket timer",
    "target mount local internal test example invalid localdomain html map git",
)


def _is_example(domain: str) -> bool:
    return domain.startswith(_EXAMPLE_DOMAINS) or ".noreply." in domain or ".example." in f"{domain}."


def _is_authorship(text: str, start: int) -> bool:
    """Whether the address belongs to a line such as `Author: Name <...>` or `Co-authored-by: Name <...>`."""
    line = text[max(0, start - 200) : start].rpartition("\n")[2]
    if not line.endswith("<"):
        return False
    word = line.lstrip(" \t*>\"'-").partition(" ")[0].lower()
    return word.rstrip(":") in _AUTHORSHIP or word.endswith("-by:")
