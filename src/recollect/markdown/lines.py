"""The lines of a page and its sections: comments blanked, code marked. Pure; no input raises."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_FENCE = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,4}[.)])[ \t]+)?(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
RULER = re.compile(r"[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$")
ITEM = re.compile(r"([ \t]*)([-*+•]|\d{1,4}[.)])(?:[ \t]+(.*))?$")
TABLE = re.compile(r"[ \t]*\|")


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
        elif not comment and ("```" in raw or "~~~" in raw) and (opened := _FENCE.match(raw)):
            fence = opened.group(1)
            found.append(Line(number, raw, code=True))
        else:
            shown, comment = _uncommented(raw, inside=comment)
            found.append(Line(number, shown))
    return found


def _uncommented(raw: str, *, inside: bool) -> tuple[str, bool]:
    """A line without its comments, and whether one is still open at its end."""
    if not inside and "<!--" not in raw:
        return raw, False
    kept, position = "", 0
    shown = blanked(raw)
    while True:
        if inside:
            end = raw.find("-->", position)
            if end < 0:
                return kept, True
            position, inside = end + 3, False
        start = shown.find("<!--", position)
        if start < 0:
            return kept + raw[position:], False
        kept, position, inside = kept + raw[position:start], start + 4, True


def blanked(text: str) -> str:
    """`text` with spaces for what stands between backticks, as long as it was."""
    spans = code_spans(text)
    if not spans:
        return text
    parts, position = [], 0
    for start, end in spans:
        parts += [text[position:start], " " * (end - start)]
        position = end
    return "".join([*parts, text[position:]])


def code_spans(text: str) -> list[tuple[int, int]]:
    """Where text stands between backticks, the backticks included."""
    if "`" not in text:
        return []
    runs = [match.span() for match in re.finditer(r"`+", text)]
    closing: dict[int, int] = {}  # of each opening run, the next of the same length
    latest: dict[int, int] = {}
    for position in range(len(runs) - 1, -1, -1):
        length = runs[position][1] - runs[position][0]
        closing[position] = latest.get(length, -1)
        latest[length] = position
    spans: list[tuple[int, int]] = []
    position = 0
    while position < len(runs):
        if (close := closing[position]) > 0:
            spans.append((runs[position][0], runs[close][1]))
            position = close
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
    if line.code or line.text.lstrip()[:1] not in ("#", "=", "-"):
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
    special = line.code or ITEM.match(line.text) or TABLE.match(line.text) or RULER.match(line.text)
    return not special and bool(line.text.strip()) and not line.text.startswith(("    ", "\t", ">"))
