"""As much of Markdown as people write rules and decisions in. Pure; no input raises.

Text becomes lines (comments blanked, code marked), lines become sections under their headings, and a
section becomes paragraphs, list items and the parts that hold no prose.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

_FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,4}[.)])[ \t]+)?(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULER = re.compile(r"[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_ITEM = re.compile(r"([ \t]*)([-*+•]|\d{1,4}[.)])(?:[ \t]+(.*))?$")
_CHECKBOX = re.compile(r"\[[ xX]\][ \t]+")
_TABLE = re.compile(r"[ \t]*\|")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_EMPHASIS = (
    (re.compile(r"\*\*|~~"), ""),
    (re.compile(r"(?<![\w_])(__?)([^_\n]+)\1(?![\w_])"), r"\2"),
    (re.compile(r"\*([^*\s][^*\n]*)\*"), r"\1"),
    (re.compile(r"</?[a-zA-Z][^<>]{0,200}>"), " "),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
_SENTENCE_END = re.compile(
    r"(?:(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)\s+(?=[^\sa-z])|(?<=[。\uff01\uff1f]))"
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the source; `number` counts from 1."""

    number: int
    text: str
    code: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the lines up to the next one. What stands before the first heading has level 0."""

    level: int
    title: str
    line: int
    lines: tuple[Line, ...]

    @property
    def body(self) -> str:
        """The text under the heading as it was written, comments aside."""
        return "\n".join(line.text.rstrip() for line in self.lines).strip("\n")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text, its line breaks kept."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Item:
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


Block: TypeAlias = Paragraph | Item | Verbatim


def normal(text: str) -> str:
    """`text` without a byte-order mark and with plain line ends."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def lines(text: str, first: int = 1) -> list[Line]:
    """The lines of a document: HTML comments blanked, fenced code marked."""
    found: list[Line] = []
    fence, comment = "", False
    for number, raw in enumerate(normal(text).split("\n"), start=first):
        if fence:
            found.append(Line(number, raw, code=True))
            if raw.strip().startswith(fence) and not raw.strip().strip(fence[0]):
                fence = ""
        elif not comment and (opened := _FENCE.match(raw)):
            fence = opened.group(1)
            found.append(Line(number, raw, code=True))
        else:
            shown, comment = _uncommented(raw, inside=comment)
            found.append(Line(number, shown))
    return found


def _uncommented(raw: str, *, inside: bool) -> tuple[str, bool]:
    """A line without its comments, and whether one is still open at its end."""
    kept, position = "", 0
    spans = _code_spans(raw)
    while True:
        if inside:
            end = raw.find("-->", position)
            if end < 0:
                return kept, True
            position, inside = end + 3, False
        start = raw.find("<!--", position)
        while start >= 0 and any(first <= start < last for first, last in spans):
            start = raw.find("<!--", start + 4)
        if start < 0:
            return kept + raw[position:], False
        kept, position, inside = kept + raw[position:start], start + 4, True


def _code_spans(text: str) -> list[tuple[int, int]]:
    """Where text stands between backticks, the backticks included."""
    runs = [match.span() for match in re.finditer(r"`+", text)]
    spans: list[tuple[int, int]] = []
    position = 0
    while position < len(runs):
        start, end = runs[position]
        for later in range(position + 1, len(runs)):
            if runs[later][1] - runs[later][0] == end - start:
                spans.append((start, runs[later][1]))
                position = later
                break
        position += 1
    return spans


def sections(found: Iterable[Line]) -> list[Section]:
    """Cut a document at its headings, `# so` or underlined. Headings in code are code."""
    result: list[Section] = []
    level, title, start, body = 0, "", 1, list[Line]()
    for line in found:
        if heading := _heading(line, body):
            above = body[:-1] if heading[2] else body
            result.append(Section(level, title, start, tuple(above)))
            level, title, underlined = heading
            start, body = line.number - underlined, []
        else:
            body.append(line)
    result.append(Section(level, title, start, tuple(body)))
    return result


def _heading(line: Line, above: Sequence[Line]) -> tuple[int, str, bool] | None:
    if line.code:
        return None
    if atx := _ATX.match(line.text):
        text = line.text[atx.end() :].strip()
        closed = text.rstrip("#")
        text = closed.rstrip() if not closed or closed[-1] in " \t" else text
        return len(atx.group(1)), text, False
    underline = _SETEXT.match(line.text)
    if underline and above and _is_plain(above[-1]) and (len(above) == 1 or not above[-2].text.strip()):
        return (1 if underline.group(1)[0] == "=" else 2), above[-1].text.strip(), True
    return None


def _is_plain(line: Line) -> bool:
    special = line.code or _ITEM.match(line.text) or _TABLE.match(line.text) or _RULER.match(line.text)
    return not special and bool(line.text.strip()) and not line.text.startswith(("    ", "\t", ">"))


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
                yield Item(text, self.line, tuple(self.nested))
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
    if _RULER.match(text):
        return "none"
    if item := _ITEM.match(text):
        return "more" if now.kind == "list" and _width(item.group(1)) >= now.indent + 2 else "list"
    if _TABLE.match(text):
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
            item = _ITEM.match(text)
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
    elif item := _ITEM.match(line.text):
        now.nested.append(_item_text(item))
    elif now.nested:
        now.nested[-1] = f"{now.nested[-1]} {line.text.strip()}".strip()
    else:
        now.texts.append(line.text)


def _item_text(item: re.Match[str]) -> str:
    return _CHECKBOX.sub("", (item.group(3) or "").strip(), count=1)


def _unquoted(text: str) -> str:
    return text.strip().removeprefix(">").strip()


def plain(text: str) -> str:
    """`text` as it reads: no emphasis, links by their words, on one line. Code keeps its characters."""
    parts, position = [], 0
    for start, end in _code_spans(text):
        parts += [_unmarked(text[position:start]), text[start:end].strip("`").strip()]
        position = end
    # A link whose words hold code is cut in pieces above, so its rest is taken off here.
    joined = _LINK.sub(r"\1", "".join([*parts, _unmarked(text[position:])]))
    return " ".join(joined.split())


def _unmarked(text: str) -> str:
    text = _LINK.sub(r"\1", text)
    for pattern, by in _EMPHASIS:
        text = pattern.sub(by, text)
    return html.unescape(text)


def sentences(text: str) -> list[str]:
    """The sentences of running text."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]


def cut(text: str, limit: int = 120) -> str:
    """`text` within `limit` characters, cut at a word."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    words = head.rsplit(" ", 1)[0] if " " in head[limit // 2 :] else head
    return words.rstrip(" ,;:-\u2013\u2014") + "…"
