"""The metadata of an ADR: status, date, tags; from front matter, lines, lists and tables."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from recollect.markdown.front_matter import Values
from recollect.markdown.page import Table, blocks, lines_outside_code
from recollect.markdown.plain import plain

_KEYS = frozenset(
    """status state date decided updated tags tag labels keywords categories category supersedes
    supercedes replaces number id author authors owner owners deciders decider consulted informed
    approver approvers stakeholders participants ticket issue""".split()  # noqa: SIM905 - reads better
) | {
    "last updated",
    "last modified",
    "superseded",
    "superseded by",
    "superceded by",
    "replaced by",
    "technical story",
    "decision makers",
    "decision date",
    "date of decision",
    "amends",
    "amended by",
    "related to",
    "relates to",
}
_FIELD = re.compile(r"([A-Za-z][A-Za-z _-]{1,30}?)\s*:\s*(.*)")
_BULLET = re.compile(r"\s*(?:[-*+]\s+|>\s*)?")

STATUSES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (status, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for status, words in (
        (
            "proposed",
            r"propos(?:ed|al)|draft|pending|under (?:review|discussion)|in (?:review|discussion)|"
            r"open|wip|rfc|work in progress|trial|experimental",
        ),
        (
            "accepted",
            r"accepted|approved|decided|adopted|implemented|done|active|agreed|final|valid|ratified|"
            r"in (?:use|force)|complete",
        ),
        ("rejected", r"rejected|declined|abandoned|withdrawn|cancell?ed|dismissed"),
        ("deprecated", r"deprecated|obsolete|retired|outdated"),
        ("superseded", r"super[sc]eded|replaced"),
    )
)
_ENDS = frozenset({"rejected", "deprecated", "superseded"})
_DAY = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}"
    r"|\d{1,2}(?:st|nd|rd|th)?\.?\s+[A-Za-z]{3,9}\.?,?\s+\d{4}"
    r"|[A-Za-z]{3,9}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4})"
)
# What may stand between "superseded" and "by": the day it happened.
WHEN = rf"(?:[\s*_:,(-]+(?:on |in |since |as of )?{_DAY}[\s*_:,)-]*)?"
_VERB = r"\b(?:super[sc]eded|replaced)"
_ENDED = re.compile(rf"{_VERB}{WHEN}[\s*_:,-]*\bby\b", re.IGNORECASE)
_ENDED_ON = re.compile(
    rf"{_VERB}(?:[\s*_:,(-]+(?:on |in |since |as of )?(?P<next>{_DAY})"
    rf"|\b.*?(?:\b(?:on|since|as of) (?P<later>{_DAY})|\((?P<last>{_DAY})\)))",
    re.IGNORECASE,
)
_PARTLY = re.compile(
    r"\b(?:(?:partly|partially|in part)[\s*_-]+(?:super[sc]eded|replaced|deprecated|obsoleted?)"
    r"|(?:super[sc]eded|replaced)[\s*_,-]+(?:in part|partly|partially))\b.*",
    re.IGNORECASE,
)
_MONTHS = {
    name: number
    for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)  # noqa: SIM905
}
_YEAR_FIRST = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"\b(\d{1,2})([-/.])(\d{1,2})\2(\d{4})\b")
_DAY_MONTH = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\.?\s+([A-Za-z]{3,9})\.?,?\s+(\d{4})\b")
_MONTH_DAY = re.compile(r"\b([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b")


def fields(text: str, head: Values) -> tuple[dict[str, str], str]:
    """The fields in the text above the first section and in the front matter, and the rest of that text."""
    values = {key.replace("_", " ").replace("-", " "): ", ".join(value) for key, value in head.items()}
    lines: dict[int, str | None] = dict(enumerate(text.split("\n")))
    for table in blocks(text, first=0):
        if isinstance(table, Table):
            _read_table(table, values)
            delimiter = 1
            lines.update(dict.fromkeys(range(table.line, table.line + len(table.rows) + delimiter)))
    for number, line in lines_outside_code(text):
        if lines[number] is not None and (pair := _field(line)):
            values.setdefault(*pair)
            lines[number] = None
    return values, "\n".join(line for line in lines.values() if line is not None)


def _field(text: str) -> tuple[str, str] | None:
    bare = _BULLET.sub("", text, count=1).replace("**", "").replace("__", "")
    if not (match := _FIELD.match(bare)):
        return None
    key = match.group(1).strip().lower().replace("_", " ").replace("-", " ")
    return (key, match.group(2).strip()) if key in _KEYS else None


def _read_table(table: Table, values: dict[str, str]) -> None:
    """Add the fields of a table to `values`: by its columns if they are fields, else by its first cells."""
    rows = [[plain(cell) for cell in row] for row in table.rows]
    columns = [_key(cell) for cell in rows[0]]
    if len(columns) > 1 and all(key in _KEYS for key in columns):
        for row in rows[1:]:
            for key, cell in zip(columns, row, strict=True):
                values.setdefault(key, cell)
    elif len(columns) == 2:
        for name, cell in rows:
            if _key(name) in _KEYS:
                values.setdefault(_key(name), cell)


def _key(cell: str) -> str:
    return cell.lower().rstrip(":").strip()


def status(text: str) -> str | None:
    """The status that a text names; None when it names no known one. Struck-out words do not count.

    Of several with dates the latest counts, of several without dates the first; in a table of stages, one
    that ends the record. A record that is partly superseded stays accepted.
    """
    text = re.sub(r"~~[^~]*~~", " ", text)
    if is_partly_superseded(text):
        return status(_PARTLY.sub(" ", text)) or "accepted"
    if _ENDED.search(text):
        return "superseded"
    if ends := [named for cell in _last_cells(text) if (named := _first_status(cell)) in _ENDS]:
        return ends[-1]
    dated = [
        (when, named)
        for step in re.split(r"[\n,;\u2192]", text)
        if (when := date(step)) and (named := _first_status(step))
    ]
    return max(dated)[1] if dated else _first_status(text)


def is_partly_superseded(text: str) -> bool:
    """Whether a status says that only a part of the record was superseded."""
    return _PARTLY.search(text) is not None


def superseded_on(text: str) -> datetime | None:
    """The day on which a record was superseded, where its status names it."""
    match = _ENDED_ON.search(_PARTLY.sub(" ", text))
    return date(next(day for day in match.groups() if day)) if match else None


def without_supersession(text: str) -> str:
    """A status without the lines that say it was superseded, whose dates are not the record's own."""
    return "\n".join(line for line in text.split("\n") if not re.search(_VERB, line, re.IGNORECASE))


def _last_cells(text: str) -> list[str]:
    """The last cell of each row of the tables in a text."""
    rows = [line.strip().strip("|") for line in text.split("\n") if line.lstrip().startswith("|")]
    return [row.rpartition("|")[2] for row in rows]


def _first_status(text: str) -> str | None:
    matches = [(match.start(), name) for name, words in STATUSES if (match := words.search(text))]
    return min(matches)[1] if matches else None


def date(text: str) -> datetime | None:
    """The first date in a text. `03/04/2020` could mean two days, so it does not count."""
    try:
        return _date(text)
    except ValueError:
        return None


def _date(text: str) -> datetime | None:
    if match := _YEAR_FIRST.search(text):
        year, month, day = (int(part) for part in match.groups())
        return datetime(year, month, day, tzinfo=UTC)
    if match := _YEAR_LAST.search(text):
        day, month = int(match.group(1)), int(match.group(3))
        if match.group(2) != "." and day <= 12 and month <= 12 and day != month:
            return None
        if month > 12:
            day, month = month, day
        return datetime(int(match.group(4)), month, day, tzinfo=UTC)
    if match := _DAY_MONTH.search(text):
        return _named(match.group(2), match.group(1), match.group(3))
    if match := _MONTH_DAY.search(text):
        return _named(match.group(1), match.group(2), match.group(3))
    return None


def _named(month: str, day: str, year: str) -> datetime | None:
    number = _MONTHS.get(month[:3].lower())
    return datetime(int(year), number, int(day), tzinfo=UTC) if number else None


def tags(values: Mapping[str, str]) -> list[str]:
    """The tags that the fields name."""
    named = (
        values.get(key, "") for key in ("tags", "tag", "labels", "keywords", "categories", "category")
    )
    words = [plain(word).lower().strip("# ") for text in named for word in re.split(r"[,;]", text)]
    return [word for word in words if word]
