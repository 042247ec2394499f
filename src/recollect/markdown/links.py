"""The links of a page: `[[deploy]]`, `[how](deploy/rollback.md#steps)`, `[how]: rollback.md`.

Code holds none, fenced or between backticks. Addresses (`https:`, `mailto:`) and places in the same page
are none of ours; nor is what stands for something else (`{name}.md`). Pure; no input raises.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from recollect.markdown.lines import Line, blanked

_WIKI = re.compile(r"\[\[([^\[\]\s|#][^\[\]|#]{0,300})(?:[|#][^\[\]]{0,300})?\]\]")
_INLINE = re.compile(r"\]\([ \t]*(?:<([^<>]{1,500})>|((?:[^\s()<>]|\([^\s()<>]*\)){1,500}))")
_DEFINED = re.compile(r" {0,3}\[[^\[\]^][^\[\]]{0,200}\]:[ \t]*<?([^\s<>]{1,500})")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_STAND_IN = frozenset("{}$*<>|\\")


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link as it was written, without its label and the place in the page; `line` counts from 1."""

    target: str
    line: int
    wiki: bool


def links(found: Iterable[Line]) -> Iterator[PageLink]:
    """The links of these lines, in order, repeats included."""
    for line in found:
        if line.code or "[" not in line.text:
            continue
        text = blanked(line.text)
        for match in _WIKI.finditer(text):
            if not match[1][-1].isspace():  # `[[ -f x ]]` is a test in a shell
                yield from _made(match[1], line.number, wiki=True)
        for match in _INLINE.finditer(text):
            yield from _made(match[1] or match[2], line.number, wiki=False)
        if defined := _DEFINED.match(text):
            yield from _made(defined[1], line.number, wiki=False)


def _made(written: str, line: int, *, wiki: bool) -> Iterator[PageLink]:
    target = written.partition("#")[0]
    if not target or target.startswith("/") or not _STAND_IN.isdisjoint(target):
        return
    if _ADDRESS.match(target) and not target.startswith("skill:"):
        return
    yield PageLink(unquote(target) if not wiki else target, line, wiki)
