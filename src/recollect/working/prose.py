"""What did the person type? The sentences of a message, without what was pasted into it.

Messages carry logs, code, command lines, tables, quotations and whole documents. None of that is the person's
own word, so none of it is a sentence here. A message that the harness wrote has no sentences at all.
"""

from __future__ import annotations

from recollect.values import Frozen
from recollect.working.pasted import is_command_line, is_harness_text, is_heading, is_pasted, opened_tag
from recollect.working.quotes import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_READ = 20_000  # characters of a message; what binds is seldom said behind a pasted book
MOST_SENTENCES = 120
_FENCES = ("```", "~~~")
_HEADINGS = 2  # that make a document of what follows the first
_WRAPPED = 60  # characters of a line that may go on in the next one
_ENDS = ".?!"
_CLOSING = "\"')]*_`\u201d\u2019"
_ABBREVIATIONS = ("e.g", "i.e", "etc", "vs", "approx", "incl", "resp", "no")
_BULLETS = "-*\u2022\u2013+"


class Sentence(Frozen):
    """One sentence of a message, where it is, and its text with quotations left out."""

    text: str
    start: int
    own: str  # the text without what it quotes
    position: int = 0  # among the sentences of its message
    is_item: bool = False  # of a list

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def sentences(message: str) -> list[Sentence]:
    """The sentences that the person typed, in order."""
    text = message[:MOST_READ]
    if is_harness_text(text):
        return []
    own = masked(text)
    result: list[Sentence] = []
    for start, end in _typed_lines(text, own):
        for first, last in _split(text, start, end):
            sentence = _sentence(text, own, first, last, len(result))
            if sentence is not None:
                result.append(sentence)
        if len(result) >= MOST_SENTENCES:
            break
    return result[:MOST_SENTENCES]


def _typed_lines(text: str, own: str) -> Iterator[tuple[int, int]]:
    """Where the typed lines are; a line that was wrapped and its rest are one."""
    lines = list(_lines(text))
    if sum(is_heading(text[start:end]) for start, end in lines) >= _HEADINGS:
        first = next(n for n, (start, end) in enumerate(lines) if is_heading(text[start:end]))
        lines = lines[:first]
    for block in _blocks(text, lines):
        yield from _joined(text, [span for span in block if own[slice(*span)].strip()])


def _lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line in text.split("\n"):
        yield at, at + len(line.rstrip())
        at += len(line) + 1


def _blocks(text: str, lines: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Stretches of typed lines. A paragraph that is mostly pasted is left out whole."""
    fence = tag = ""
    block: list[tuple[int, int]] = []
    for span in [*lines, (len(text), len(text))]:
        line = text[slice(*span)].strip()
        if fence:
            fence = "" if line.startswith(fence) else fence
        elif tag:
            tag = "" if f"</{tag}>" in line else tag
        elif line.startswith(_FENCES):
            fence = line[:3]
        elif (tag := opened_tag(line, text[span[1] :])) or not line:
            yield from _typed_block(text, block)
            block = []
        else:
            block.append(span)
    yield from _typed_block(text, block)


def _typed_block(text: str, block: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    pasted, below_command = [], False
    for span in block:
        line = text[slice(*span)]
        below_command = below_command or is_command_line(line)
        pasted.append(below_command or is_pasted(line))
    typed = [span for span, is_paste in zip(block, pasted, strict=True) if not is_paste]
    if 2 * len(typed) >= len(block):
        yield typed
    elif block[0][0] == 0 and not pasted[0]:
        yield block[:1]  # a message that goes on with a log without a blank line


def _joined(text: str, block: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join a long line without an end to the line below it that begins in the middle of a sentence."""
    start = end = -1
    for first, last in block:
        goes_on = text[first : first + 1].islower() and text[end - 1 : end] not in ".?!:"
        if start >= 0 and goes_on and end - start >= _WRAPPED and first == end + 1:
            end = last
            continue
        if start >= 0:
            yield start, end
        start, end = first, last
    if start >= 0:
        yield start, end


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = first = start
    while at < end:
        if text[at] in _ENDS and not _is_abbreviation(text[first:at]):
            while at < end and text[at] in _ENDS + _CLOSING:
                at += 1
            if at >= end or text[at].isspace():
                yield first, at
                first = at
        at += 1
    if first < end:
        yield first, end


def _is_abbreviation(before: str) -> bool:
    words = before.rsplit(None, 1)
    return bool(words) and (words[-1].lower().lstrip("(") in _ABBREVIATIONS or words[-1].isdigit())


def _sentence(text: str, own: str, start: int, end: int, position: int) -> Sentence | None:
    """The sentence at a place, without the mark of a list; None if nothing is left."""
    raw = text[start:end]
    body = raw.lstrip()
    item = _without_mark(body)
    first = start + len(raw) - len(item)
    item = item.rstrip()
    mine = own[first : first + len(item)]
    if not any(mark.isalpha() for mark in mine):
        return None
    return Sentence(item, first, mine, position, item != body.rstrip())


def _without_mark(line: str) -> str:
    """A line without the `-` or `2.` of a list."""
    if line[:1] in _BULLETS and line[1:2].isspace():
        return line[1:].lstrip()
    number = line[:3].rstrip(".) ")
    if number.isdigit() and line[len(number) : len(number) + 1] in (".", ")"):
        return line[len(number) + 1 :].lstrip()
    return line
