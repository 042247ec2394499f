"""Reading a stored result: by path, by range, or by search, within a budget and with a way to continue."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.errors import RefusedError
from recollect.gateway.vault.content import (
    BinaryPart,
    JsonPart,
    Part,
    TablePart,
    csv_line,
    csv_rows,
    records,
)
from recollect.gateway.vault.json_path import Steps, is_single, parse_path, select, show_path
from recollect.gateway.vault.searching import Matches, search_json, search_rows, search_text
from recollect.gateway.vault.shape import abridged, compact
from recollect.records.json_format import Json
from recollect.text.token_estimate import characters

DEFAULT_TOKENS, FEWEST_TOKENS, MOST_TOKENS = 2_000, 200, 20_000
_NUMBER = "-?[0-9]{1,12}"
_RANGE = re.compile(rf"(c)?\s*(?:({_NUMBER})?\s*:\s*({_NUMBER})?|({_NUMBER}))")


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What to read of a result.

    `range` counts rows of a list or table and lines of a text from 0, with a leading `c` characters, and
    with `search` the matches.
    """

    path: str = ""
    range: str = ""
    search: str = ""
    tokens: int = DEFAULT_TOKENS

    @property
    def most(self) -> int:
        """The characters that an answer may have."""
        return characters(min(max(self.tokens, FEWEST_TOKENS), MOST_TOKENS))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a result: where it is, its text, and the range that continues it; None at the end."""

    where: str
    text: str
    next_range: str | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """From `start` to before `end`, as in Python; of characters if they are meant."""

    start: int | None = None
    end: int | None = None
    characters: bool = False

    def within(self, size: int) -> tuple[int, int]:
        """The first position, and that after the last, of something of this size."""
        start, end, _ = slice(self.start, self.end).indices(size)
        return start, max(start, end)


def parse_range(text: str) -> Range:
    """A range such as `10:20`, `10:`, `-5:`, `7` or `c0:4000`. Raises RefusedError for anything else."""
    if not text.strip():
        return Range()
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        raise RefusedError(
            f"{text!r} is not a range; write 10:20 for rows or lines, c0:4000 for characters."
        )
    is_characters = match[1] is not None
    if match[4] is not None:
        position = int(match[4])
        return Range(position, position + 1 if position != -1 else None, is_characters)
    start, end = (int(number) if number else None for number in (match[2], match[3]))
    return Range(start, end, is_characters)


def read_part(part: Part, request: ReadRequest) -> Excerpt:
    """What a request asks of one part. Raises RefusedError or NotFoundError that says what to do."""
    range = parse_range(request.range)
    if isinstance(part, BinaryPart):
        raise RefusedError(f"this part is {part.mime} and has no text; open its file.")
    if request.path:
        return _read_path(_document(part), request, range)
    if isinstance(part, JsonPart):
        return _read_value(part.value, (), request, range)
    if isinstance(part, TablePart) and not range.characters:
        return _read_table(part, request, range)
    return _read_text(part.text, request, range)


def _document(part: Part) -> Json:
    if isinstance(part, JsonPart):
        return part.value
    if isinstance(part, TablePart):
        return records(part)
    raise RefusedError("this part is text, which has no paths; read it by range or by search.")


def _read_path(document: Json, request: ReadRequest, range: Range) -> Excerpt:
    steps = parse_path(request.path)
    selected = select(document, steps)
    if is_single(steps):
        return _read_value(selected[0][1], selected[0][0], request, range)
    if request.search:
        lines = [
            line for at, value in selected for line in search_json(value, request.search, at).lines
        ]
        return _matches(Matches(tuple(lines)), range, request.most)
    return _rows([(show_path(at), value) for at, value in selected], range, request.most, "values")


def _read_value(value: Json, steps: Steps, request: ReadRequest, range: Range) -> Excerpt:
    if isinstance(value, str):
        return _read_text(value, request, range)
    if request.search:
        return _matches(search_json(value, request.search, steps), range, request.most)
    if range.characters:
        return _read_characters(compact(value), range, request.most)
    if isinstance(value, list):
        rows = [(show_path((*steps, number)), item) for number, item in enumerate(value)]
        return _rows(rows, range, request.most, "rows")
    if isinstance(value, dict):
        return _keys(value, steps, range, request.most)
    return Excerpt("1 value", compact(value))


def _rows(rows: Sequence[tuple[str, Json]], range: Range, most: int, unit: str) -> Excerpt:
    """The rows of a range, a line of JSON each. One that is too large alone is abridged."""
    start, end = range.within(len(rows))
    return _fitted(
        [(path, compact(value), value) for path, value in rows[start:end]], start, len(rows), most, unit
    )


def _keys(value: dict[str, Json], steps: Steps, range: Range, most: int) -> Excerpt:
    start, end = range.within(len(value))
    names = list(value)[start:end]
    rows = [
        (show_path((*steps, name)), f"{compact(name)}: {compact(value[name])}", value[name])
        for name in names
    ]
    return _fitted(rows, start, len(value), most, "keys")


def _fitted(
    rows: Sequence[tuple[str, str, Json]], start: int, total: int, most: int, unit: str
) -> Excerpt:
    """As many rows as fit, at least one."""
    lines: list[str] = []
    room = most
    for path, line, value in rows:
        if len(line) > most:
            if lines:
                break
            note = f" … abridged from {len(line):,} characters; read the path {path}"
            line = abridged(value, most - len(note) - len(path)) + note  # noqa: PLW2901 - as it is shown
        if lines and len(line) > room:
            break
        lines.append(line)
        room -= len(line) + 1
    return _reading(lines, start, len(rows), total, unit)


def _reading(lines: Sequence[str], start: int, wanted: int, total: int, unit: str) -> Excerpt:
    end = start + len(lines)
    more = f"{end}:{'' if start + wanted == total else start + wanted}" if len(lines) < wanted else None
    return Excerpt(f"{unit} {start}:{end} of {total}", "\n".join(lines), more)


def _matches(matches: Matches, range: Range, most: int) -> Excerpt:
    if not matches.lines:
        return Excerpt("no matches", "")
    start, end = range.within(len(matches.lines))
    rows = [("", line, line) for line in matches.lines[start:end]]
    reading = _fitted(rows, start, len(matches.lines), most, "matches")
    if not matches.partial:
        return reading
    return Excerpt(
        f"{reading.where}; no passage has all the words; these have some of them",
        reading.text,
        reading.next_range,
    )


def _read_table(part: TablePart, request: ReadRequest, range: Range) -> Excerpt:
    rows = [csv_line(row, part.delimiter) for row in csv_rows(part.text, part.delimiter)]
    header, rows = rows[0], rows[1:]
    if len(header) > request.most // 2:
        return _read_text(part.text, request, range)
    if request.search:
        return _matches(search_rows(rows, request.search), range, request.most)
    start, end = range.within(len(rows))
    lines: list[str] = []
    room = request.most - len(header)
    for line in rows[start:end]:
        if lines and len(line) > room:
            break
        lines.append(line if len(line) <= request.most else line[: request.most] + "…")
        room -= len(line) + 1
    reading = _reading(lines, start, end - start, len(rows), "rows")
    return Excerpt(reading.where, f"{header}\n{reading.text}", reading.next_range)


def _read_text(text: str, request: ReadRequest, range: Range) -> Excerpt:
    if request.search:
        return _matches(search_text(text, request.search), range, request.most)
    if range.characters:
        return _read_characters(text, range, request.most)
    lines = text.split("\n")
    start, end = range.within(len(lines))
    shown: list[str] = []
    room = request.most
    for line in lines[start:end]:
        if len(line) > room:
            break
        shown.append(line.rstrip("\r"))
        room -= len(line) + 1
    if shown or start == end:
        return _reading(shown, start, end - start, len(lines), "lines")
    offset = sum(len(line) + 1 for line in lines[:start])
    last = offset + sum(len(line) + 1 for line in lines[start:end]) - 1
    return _read_characters(text, Range(offset, last, characters=True), request.most)


def _read_characters(text: str, range: Range, most: int) -> Excerpt:
    start, end = range.within(len(text))
    stop = min(end, start + most)
    more = f"c{stop}:{'' if end == len(text) else end}" if stop < end else None
    return Excerpt(f"characters {start}:{stop} of {len(text)}", text[start:stop], more)
