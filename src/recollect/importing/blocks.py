"""As much of Markdown as people write rules and decisions in. Pure; no input raises.

A section becomes paragraphs, list items and the parts that hold no prose.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from recollect.markdown.lines import ITEM, RULER, TABLE, Line

_CHECKBOX = re.compile(r"\[[ xX]\][ \t]+")
_SENTENCE_END = re.compile(
    r"(?:(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)\s+(?=[^\sa-z])|(?<=[。\uff01\uff1f]))"
)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text, its line breaks kept."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class ListItem:
    """A list item of the outermost level, with the items inside it."""

    text: str
    line: int
    nested: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verbatim:
    """What is not prose."""

    kind: Literal["code", "table"]
    text: str
    line: int


Block: TypeAlias = Paragraph | ListItem | Verbatim


@dataclass(slots=True)
class _Open:
    """The block being read."""

    kind: Literal["none", "paragraph", "list", "code", "table"] = "none"
    line: int = 0
    texts: list[str] = field(default_factory=list)
    nested: list[str] = field(default_factory=list)
    indent: int = 0
    blank: bool = False  # a blank line stands before the next one

    def closed(self) -> Iterator[Block]:
        text = " ".join(part.strip() for part in self.texts).strip()
        match self.kind:
            case "paragraph" if text:
                yield Paragraph("\n".join(self.texts).strip(), self.line)
            case "list" if text or self.nested:
                yield ListItem(text, self.line, tuple(self.nested))
            case "code" | "table":
                yield Verbatim(self.kind, "\n".join(self.texts), self.line)
            case _:
                pass


def blocks(found: Iterable[Line]) -> Iterator[Block]:
    """The blocks of a section. Deeper items belong to the item above them."""
    now = _Open()
    for line in found:
        kind = _kind(line, now)
        if kind == "blank":
            now.blank = True
            if now.kind in ("paragraph", "table"):
                yield from now.closed()
                now = _Open(blank=True)
        elif kind == "more":
            _continue(now, line)
        else:
            yield from now.closed()
            now = _opened(kind, line, now)
    yield from now.closed()


_Kind: TypeAlias = Literal["blank", "more", "none", "paragraph", "list", "code", "table"]


def _kind(line: Line, now: _Open) -> _Kind:
    text = line.text
    if line.code:
        return "more" if now.kind == "code" and not now.blank else "code"
    if not text.strip():
        return "blank"
    if RULER.match(text):
        return "none"
    if item := ITEM.match(text):
        return "more" if now.kind == "list" and _width(item.group(1)) >= now.indent + 2 else "list"
    if TABLE.match(text):
        return "more" if now.kind == "table" else "table"
    if now.kind == "list" and (not now.blank or _width(text) > now.indent):
        return "more"
    if now.blank and _width(text) >= 4:
        return "code"
    return "more" if now.kind == "paragraph" else "paragraph"


def _width(text: str) -> int:
    expanded = text.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _opened(kind: _Kind, line: Line, before: _Open) -> _Open:
    text = line.text
    match kind:
        case "list":
            item = ITEM.match(text)
            assert item
            within = before.kind == "list" and _width(item.group(1)) < before.indent + 2
            indent = before.indent if within else _width(item.group(1))
            return _Open(
                "list", line.number, [_item_text(item)], indent=min(indent, _width(item.group(1)))
            )
        case "paragraph":
            return _Open("paragraph", line.number, [_unquoted(text)])
        case "code" | "table":
            return _Open(kind, line.number, [text])
        case _:
            return _Open(blank=True)


def _continue(now: _Open, line: Line) -> None:
    now.blank = False
    if now.kind in ("code", "table"):
        now.texts.append(line.text)
    elif now.kind == "paragraph":
        now.texts.append(_unquoted(line.text))
    elif item := ITEM.match(line.text):
        now.nested.append(_item_text(item))
    elif now.nested:
        now.nested[-1] = f"{now.nested[-1]} {line.text.strip()}".strip()
    else:
        now.texts.append(line.text)


def _item_text(item: re.Match[str]) -> str:
    return _CHECKBOX.sub("", (item.group(3) or "").strip(), count=1)


def _unquoted(text: str) -> str:
    return text.strip().removeprefix(">").strip()


def sentences(text: str) -> list[str]:
    """The sentences of running text."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]
