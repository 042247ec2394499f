"""The choice an ADR records: the reasons, the alternatives and the consequences."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from recollect.importing.adr_sections import (
    AdrSection,
    AdrSections,
    Role,
    blocks_of,
    by_option,
    one_line,
    passages,
)
from recollect.markdown.page import Block, ListItem, Paragraph, Table, blocks
from recollect.markdown.plain import cut, plain, sentences
from recollect.records.json_format import Json

_CHOSEN = re.compile(
    r"\bchosen (?:option|alternative|solution)s?\b\s*(?:is|was)?\s*:?\s*", re.IGNORECASE
)
_QUOTES = {'"': '"', "“": "”", "'": "'", "«": "»", "„": "“", "\u2018": "\u2019"}
_BECAUSE = re.compile(r"\bbecause\b[\s:]*(?:of\s+)?", re.IGNORECASE)
_GIVES_REASON = re.compile(
    r"\b(?:because|since|so that|in order to|to avoid|due to|as it|allows?)\b", re.I
)
_BAD = re.compile(
    r"(?:bad|cons?|negative|disadvantages?|drawbacks?|against)\b(?:[\s,:;-]*\bbecause\b)?[\s,:;-]*",
    re.IGNORECASE,
)
_GOOD = re.compile(
    r"(?:good|pro|pros|positive|neutral|advantages?|benefits?|for)\b(?:\s*[,:]|$)", re.IGNORECASE
)
_OPTION_NUMBER = re.compile(
    r"(?:(?:option|alternative|choice)\s*)?(?:#?\d{1,3}|[A-Za-z])\s*[:.)\u2013\u2014-]\s*(?=\S)|(?:option|alternative)\s*:\s*",
    re.IGNORECASE,
)
_NAME_REASON = re.compile(r"(?:\s+[-\u2013\u2014]+\s+|:\s+|\s+because\s+)")
_OPTION_COLUMN = re.compile(r"(?:considered )?(?:option|alternative|approach|solution|name)s?\b", re.I)
_WHY_NOT = re.compile(r"(?:why|reason|rejected|rejection)\b", re.IGNORECASE)
_PICKED = re.compile(
    r"\b(?:chosen|selected|our choice|accepted|winner)\b|[\u2705\u2713\u2714]", re.IGNORECASE
)
_WORDS = re.compile(r"\w+")
_REASON_LENGTH = 600
_MOST_OPTIONS = 100  # beyond any real list; they are compared pairwise


@dataclass(frozen=True, slots=True)
class Option:
    """An option that was considered, with the reason against it."""

    name: str
    reason: str
    discarded: bool  # listed under a heading such as "Alternatives", where the chosen one is not


def chosen(sections: Iterable[AdrSection]) -> str:
    """The option that "Chosen option: ..." names; empty when no text says so."""
    for block in blocks_of(sections):
        text = _text(block)
        if match := _CHOSEN.search(text):
            return _name(text[match.end() :])
    return ""


def _text(block: Block) -> str:
    """A paragraph or the head of an item as it reads; empty for code and tables."""
    return plain(block.text) if isinstance(block, Paragraph | ListItem) else ""


def _name(text: str) -> str:
    if text[:1] in _QUOTES:
        end = text.find(_QUOTES[text[0]], 1)
        if end > 0:
            return text[1:end].strip()
    return re.split(r",|\.(?:\s|$)|;|\bbecause\b", text, maxsplit=1)[0].strip()


def rationale(adr: AdrSections, decision: str, context: str) -> tuple[list[str], bool]:
    """The reasons, and whether the ADR states any. If not, the decision's first sentence is used."""
    because = _because(blocks_of(adr.of(Role.DECISION)))
    drivers = [text for section in adr.of(Role.RATIONALE) for text in passages(section)]
    reasons = list(dict.fromkeys([*because, *drivers]))
    if not reasons:
        prose = [*_sentences(decision), *_sentences(context)]
        reasons = [text for text in prose if _GIVES_REASON.search(text)][:3]
    if reasons:
        return reasons, True
    return [next(iter(sentences(plain(decision))), decision)], False


def _sentences(text: str) -> list[str]:
    """The whole sentences of a text, item by item; one that only introduces what follows is none."""
    every = [part for block in blocks(text) for part in sentences(_text(block))]
    return [part for part in every if not part.endswith(":")]


def _because(decision: Sequence[Block]) -> list[str]:
    """What follows "because" in the sentence that names the chosen option, or the list below it."""
    for position, block in enumerate(decision):
        text = _text(block)
        if not _CHOSEN.search(text) or not (match := _BECAUSE.search(text)):
            continue
        reason = text[match.end() :].strip(" :")
        below = takewhile(lambda later: isinstance(later, ListItem), decision[position + 1 :])
        return [reason] if reason else [one_line(item) for item in below if isinstance(item, ListItem)]
    return []


def consequences(adr: AdrSections) -> list[str]:
    """The consequences, one for each item or paragraph."""
    return [text for section in adr.of(Role.CONSEQUENCES) for text in passages(section)]


def alternatives(adr: AdrSections, decision: str) -> list[Json]:
    """The options that were not chosen, with the reason where one is stated."""
    options: dict[str, Option] = {}
    for section in adr.of(Role.OPTIONS, Role.COMPARISON):
        for option in _options(section)[:_MOST_OPTIONS]:
            key = next((key for key in options if _same_option(key, _key(option.name))), None)
            if key is None:
                options[_key(option.name)] = option
            elif not options[key].reason:
                options[key] = replace(options[key], reason=option.reason)
    chosen_key = _chosen_key(options, chosen(adr.of(Role.DECISION)), decision)
    return [
        {"option": option.name, "rejected_reason": option.reason}
        for key, option in options.items()
        if key != chosen_key
    ]


def _options(section: AdrSection) -> list[Option]:
    discarded = bool(re.search(r"alternative|rejected|discarded|other", section.heading))
    if below := by_option(section):
        return [
            Option(_unnumbered(name), _reason(text), discarded) for name, text in below.items() if name
        ]
    blocks = section.sections[0].blocks()
    tables = [block for block in blocks if isinstance(block, Table)]
    if rows := [option for table in tables for option in _table_options(table)]:
        return rows
    if section.role is Role.COMPARISON:
        return []
    items = [block for block in blocks if isinstance(block, ListItem)]
    return [option for item in items if (option := _item_option(item, discarded=discarded))]


def _table_options(table: Table) -> list[Option]:
    """The options of a table with a column for them, without one that is marked as chosen."""
    head, *rows = [[plain(cell) for cell in row] for row in table.rows]
    names = [column for column, cell in enumerate(head) if _OPTION_COLUMN.match(cell)]
    against = [column for column, cell in enumerate(head) if _BAD.match(cell) or _WHY_NOT.match(cell)]
    if not names:
        return []
    return [
        Option(name, row[against[0]] if against else "", discarded=True)
        for row in rows
        if (name := row[names[0]]) and not _PICKED.search(name)
    ]


def _item_option(item: ListItem, *, discarded: bool) -> Option | None:
    text = _unnumbered(plain(item.text))
    name, *reasons = (_NAME_REASON if discarded else _BECAUSE).split(text, maxsplit=1)
    if not name.strip():
        return None
    reasons += _against(item.nested)
    return Option(cut(name.rstrip(" .,:"), 200), "; ".join(reasons), discarded)


def _unnumbered(name: str) -> str:
    """`Redis` of "Option 2: Redis"."""
    return _OPTION_NUMBER.sub("", name, count=1) if _OPTION_NUMBER.match(name) else name


def _against(texts: Iterable[str]) -> list[str]:
    """The drawbacks among pros and cons; all texts when none is marked as either."""
    plain_texts = [plain(text) for text in texts]
    bad = [_BAD.sub("", text, count=1) for text in plain_texts if _BAD.match(text)]
    return bad or [text for text in plain_texts if text and not _GOOD.match(text)]


def _reason(option: str) -> str:
    """The reason against an option, from the text about it: its drawbacks, else its prose."""
    bad: list[str] = []
    prose: list[str] = []
    under_bad: bool | None = None
    for block in blocks(option):
        match block:
            case Paragraph() if (text := plain(block.text)).endswith(":"):
                under_bad = True if _BAD.match(text) else False if _GOOD.match(text) else None
            case Paragraph():
                prose.append(plain(block.text))
            case ListItem() if _BAD.match(text := one_line(block)) or under_bad:
                bad.append(_BAD.sub("", text, count=1) if _BAD.match(text) else text)
            case ListItem() if under_bad is None:
                prose.append(text)
    good = (text for text in prose if not _GOOD.match(text))
    return cut("; ".join(bad) if bad else " ".join(good), _REASON_LENGTH)


def _same_option(key: str, other: str) -> bool:
    """Whether one name begins with the other, as in a list and in the headings below it."""
    return key == other or key.startswith(f"{other} ") or other.startswith(f"{key} ")


def _key(name: str) -> str:
    return " ".join(_WORDS.findall(name.lower()))


def _chosen_key(options: dict[str, Option], named: str, decision: str) -> str | None:
    """The key of the chosen option: the one named, else the first that the decision mentions."""
    if key := _key(named):
        if key in options:
            return key
        inside = [other for other in options if other and (key in other or other in key)]
        if inside:
            return max(inside, key=lambda other: (_same_option(other, key), len(other)))
    first = f" {_key(next(iter(sentences(plain(decision))), ''))} "
    places = [
        (first.find(f" {key} "), -len(key), key)
        for key, option in options.items()
        if key and not option.discarded and f" {key} " in first
    ]
    return min(places)[2] if places else None
