"""E-mail addresses of people. Those of machines, of examples and of a commit's authors are left alone."""

from __future__ import annotations

from recollect.working.secrets.family import compiled
from recollect.working.secrets.judging import is_placeholder, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ADDRESS = r"(?<![\w.+%/:@-])[\w.+%-]{1,64}@[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,63}){1,6}"
PATTERNS = (ADDRESS,)
# `git@host:path` and the addresses that nobody reads.
_NOBODY = listed(
    "git hg svn noreply no-reply donotreply do-not-reply support info admin root user users username",
    "example email mail name me you someone somebody test postmaster webmaster hello contact",
)
_NOWHERE = (
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


def addresses(text: str) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of each address that leads to a person."""
    for found in compiled(ADDRESS).finditer(text):
        local, _, domain = found[0].rstrip(".-").lower().partition("@")
        ending = domain.rpartition(".")[2]
        if not (ending.isalpha() and 2 <= len(ending) <= 24) or ending in _NO_ENDING:
            continue
        if local in _NOBODY or is_placeholder(local) or _is_nowhere(domain):
            continue
        if text[found.end() : found.end() + 1] in (":", "("):
            continue
        if not _is_authorship(text, found.start()):
            yield "e-mail address", found.start(), found.start() + len(found[0].rstrip(".-"))


_NO_ENDING = listed(
    "png jpg jpeg gif svg webp ico css js ts py rb go rs md txt json yaml yml toml lock service socket timer",
    "target mount local internal test example invalid localdomain html map git",
)


def _is_nowhere(domain: str) -> bool:
    return domain.startswith(_NOWHERE) or ".noreply." in domain or ".example." in f"{domain}."


def _is_authorship(text: str, start: int) -> bool:
    """Whether the address belongs to a line such as `Author: Name <...>` or `Co-authored-by: Name <...>`."""
    line = text[text.rfind("\n", max(0, start - 200), start) + 1 : start]
    if not line.endswith("<"):
        return False
    word = line.lstrip(" \t*>\"'-").partition(" ")[0].lower()
    return word.rstrip(":") in _AUTHORSHIP or word.endswith("-by:")
