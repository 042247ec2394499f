"""What an ADR chose, why, instead of what, and what came of it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from recollect.importing.adr_parts import (
    AdrSection,
    AdrSections,
    Role,
    blocks_of,
    by_option,
    joined,
    passages,
)
from recollect.importing.blocks import Block, ListItem, Paragraph, Verbatim, blocks, sentences
from recollect.markdown.lines import Line
from recollect.markdown.plain import cut, plain
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
    """An option that was looked at, with what was said against it."""

    name: str
    reason: str
    discarded: bool  # stands under a heading such as "Alternatives", where the chosen one does not


def chosen(found: Iterable[AdrSection]) -> str:
    """The option that "Chosen option: ..." names; empty when nothing does."""
    for block in blocks_of(found):
        text = plain(block.text)
        if match := _CHOSEN.search(text):
            return _name(text[match.end() :])
    return ""


def _name(text: str) -> str:
    if text[:1] in _QUOTES:
        end = text.find(_QUOTES[text[0]], 1)
        if end > 0:
            return text[1:end].strip()
    return re.split(r",|\.(?:\s|$)|;|\bbecause\b", text, maxsplit=1)[0].strip()


def rationale(adr: AdrSections, decision: str, context: str) -> tuple[list[str], bool]:
    """The reasons, and whether the ADR gives any. If not, its decision's first sentence stands in."""
    because = _because(blocks_of(adr.of(Role.DECISION)))
    drivers = [text for part in adr.of(Role.RATIONALE) for text in passages(part)]
    found = list(dict.fromkeys([*because, *drivers]))
    if not found:
        told = [*sentences(plain(decision)), *sentences(plain(context))]
        found = [text for text in told if _GIVES_REASON.search(text)][:3]
    if found:
        return found, True
    return [next(iter(sentences(plain(decision))), decision)], False


def _because(found: Sequence[Block]) -> list[str]:
    """What follows "because" in the sentence that names the chosen option, or the list below it."""
    for position, block in enumerate(found):
        text = plain(block.text)
        if not _CHOSEN.search(text) or not (match := _BECAUSE.search(text)):
            continue
        reason = text[match.end() :].strip(" :")
        listed = []
        for later in found[position + 1 :]:
            if not isinstance(later, ListItem):
                break
            listed.append(joined(later))
        return [reason] if reason else listed
    return []


def consequences(adr: AdrSections) -> list[str]:
    """The consequences, one to an item or paragraph."""
    return [text for part in adr.of(Role.CONSEQUENCES) for text in passages(part)]


def alternatives(adr: AdrSections, decision: str) -> list[Json]:
    """What was not chosen, with the reason where one is given."""
    options: dict[str, Option] = {}
    for part in adr.of(Role.OPTIONS, Role.COMPARISON):
        for option in _options(part)[:_MOST_OPTIONS]:
            key = next((key for key in options if _same_option(key, _key(option.name))), None)
            if key is None:
                options[_key(option.name)] = option
            elif not options[key].reason:
                options[key] = replace(options[key], reason=option.reason)
    taken = _taken(options, chosen(adr.of(Role.DECISION)), decision)
    return [
        {"option": option.name, "rejected_reason": option.reason}
        for key, option in options.items()
        if key != taken
    ]


def _options(part: AdrSection) -> list[Option]:
    discarded = bool(re.search(r"alternative|rejected|discarded|other", part.heading))
    below = by_option(part)
    if below:
        return [
            Option(_unnumbered(name), _reason(lines), discarded)
            for name, lines in below.items()
            if name
        ]
    found = list(blocks(part.sections[0].lines))
    if tabled := [option for block in found for option in _tabled(block)]:
        return tabled
    if part.role is Role.COMPARISON:
        return []
    items = [block for block in found if isinstance(block, ListItem)]
    return [option for item in items if (option := _listed(item, discarded=discarded))]


def _tabled(block: Block) -> list[Option]:
    """The options of a table with a column for them; one marked as chosen is left out."""
    if not isinstance(block, Verbatim) or block.kind != "table":
        return []
    head, *rows = [
        [plain(cell) for cell in line.strip().strip("|").split("|")] for line in block.text.split("\n")
    ]
    names = [place for place, cell in enumerate(head) if _OPTION_COLUMN.match(cell)]
    against = [place for place, cell in enumerate(head) if _BAD.match(cell) or _WHY_NOT.match(cell)]
    if not names:
        return []
    return [
        Option(name, next((row[place] for place in against if place < len(row)), ""), discarded=True)
        for row in rows
        if names[0] < len(row) and (name := row[names[0]]).strip(":- ") and not _PICKED.search(name)
    ]


def _listed(item: ListItem, *, discarded: bool) -> Option | None:
    text = _unnumbered(plain(item.text))
    name, *told = (_NAME_REASON if discarded else _BECAUSE).split(text, maxsplit=1)
    reasons = [*told, *_against(item.nested)]
    return (
        Option(cut(name.rstrip(" .,:"), 200), "; ".join(reasons), discarded) if name.strip() else None
    )


def _unnumbered(name: str) -> str:
    """`Redis` of "Option 2: Redis"; a name that would vanish stays as it is."""
    return _OPTION_NUMBER.sub("", name, count=1) if _OPTION_NUMBER.match(name) else name


def _against(texts: Iterable[str]) -> list[str]:
    """The drawbacks among pros and cons; everything when nothing is marked as either."""
    found = [plain(text) for text in texts]
    bad = [_BAD.sub("", text, count=1) for text in found if _BAD.match(text)]
    return bad or [text for text in found if text and not _GOOD.match(text)]


def _reason(lines: Sequence[Line]) -> str:
    bad: list[str] = []
    told: list[str] = []
    against: bool | None = None
    for block in blocks(lines):
        text = joined(block) if isinstance(block, ListItem) else plain(block.text)
        if isinstance(block, Paragraph) and text.endswith(":"):
            against = True if _BAD.match(text) else False if _GOOD.match(text) else None
        elif isinstance(block, ListItem) and (_BAD.match(text) or against):
            bad.append(_BAD.sub("", text, count=1) if _BAD.match(text) else text)
        elif isinstance(block, Paragraph) or (isinstance(block, ListItem) and against is None):
            told += [text] if not _GOOD.match(text) else []
    return cut("; ".join(bad) if bad else " ".join(told), _REASON_LENGTH)


def _same_option(one: str, other: str) -> bool:
    """Whether one name only says more than the other, as in a list and in the headings below it."""
    return one == other or one.startswith(f"{other} ") or other.startswith(f"{one} ")


def _key(name: str) -> str:
    return " ".join(_WORDS.findall(name.lower()))


def _taken(options: dict[str, Option], named: str, decision: str) -> str | None:
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
