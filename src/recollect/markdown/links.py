"""The links of a page: `[[deploy]]`, `[how](deploy/rollback.md#steps)`, `[how]: rollback.md`.

Code and comments contain none. Addresses (`https:`, `mailto:`), places in the same page and placeholders
(`{name}.md`) are left out. Pure; no token raises.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from recollect.markdown.parser import inline_tokens

if TYPE_CHECKING:
    from markdown_it.token import Token

_WIKI = re.compile(r"\[\[([^\[\]\s|#][^\[\]|#]{0,300})(?:[|#][^\[\]]{0,300})?\]\]")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PLACEHOLDER = frozenset("{}$*<>|\\")


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link as it is written, without its label and the place in the page; `line` counts from 1."""

    target: str
    line: int
    wiki: bool


def links_in(tokens: "Iterable[Token]", first: int) -> Iterator[PageLink]:
    """The links of a text, given as block tokens; `first` is the number of its first line."""
    for token in tokens:
        line = first + (token.map[0] if token.map else 0)
        if token.type == "definition" and not token.meta["label"].startswith("^"):
            yield from _link(token.meta["url"], line)
        elif token.type == "inline" and ("](" in token.content or "[[" in token.content):
            yield from _inline(inline_tokens(token.content), line)


def _inline(tokens: "list[Token]", line: int) -> Iterator[PageLink]:
    for token in tokens:
        match token.type:
            case "softbreak" | "hardbreak":
                line += 1
            case "link_open":
                yield from _link(str(token.attrs["href"]), line)
            case "image":
                yield from _link(str(token.attrs["src"]), line)
            case "text":
                for match in _WIKI.finditer(token.content):
                    if not match[1][-1].isspace():  # `[[ -f x ]]` is a test in a shell
                        yield from _link(match[1], line, wiki=True)


def _link(address: str, line: int, *, wiki: bool = False) -> Iterator[PageLink]:
    target = address.partition("#")[0]
    if not wiki:
        target = unquote(target)
    if not target or target.startswith("/") or not _PLACEHOLDER.isdisjoint(target):
        return
    if not _ADDRESS.match(target) or target.startswith("skill:"):
        yield PageLink(target, line, wiki)
