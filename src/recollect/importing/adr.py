"""Architecture decision records in Markdown: MADR, Nygard's and looser ones become decisions.

Nothing is invented: a part the ADR does not have is taken from the nearest thing it says, and a note
tells so. Code, tables and sections beyond the usual ones stay in the file, which the memory names.
"""

import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from recollect import clock
from recollect.importing import adr_choice, adr_meta
from recollect.importing.adr_links import AdrMention, AdrReference, file_number, mentions, resolve
from recollect.importing.adr_meta import STATUSES
from recollect.importing.adr_parts import AdrSections, Role, parts
from recollect.importing.blocks import Paragraph, blocks
from recollect.importing.incoming import Incoming, Skipped, source
from recollect.markdown import front_matter
from recollect.markdown.lines import Line, lines, sections
from recollect.markdown.plain import cut, plain
from recollect.records.draft import Draft
from recollect.records.json_format import Json, JsonObject
from recollect.records.record import TITLE_LENGTH

_INDEX_NAMES = frozenset(
    "readme index _index toc summary contributing changelog license log".split()  # noqa: SIM905
)
_NUMBER = re.compile(
    r"\[?(?:(?:(?:ADR|DR|RFC)(?=[\W\d_])|(?:architectur\w+ )?decision(?: record)?(?=\s*[#:\d_-]))"
    r"[\s#:_-]*(?P<named>\d{1,6})?"
    r"|(?P<plain>\d{1,6})(?=\.?\s*[-\u2013\u2014:)]|\.\s|\]))\]?\s*[-\u2013\u2014.:)]*\s+",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"(?:adr|(?:architectur\w+ )?decision(?: record)?s?)?(?: \(adrs?\))?[\s#:_-]*\d*", re.IGNORECASE
)
_BARE_NUMBER = re.compile(r"0*(\d{1,6})\s+(?=\S)")
_PLACEHOLDER_TITLE = re.compile(
    r"[{<\[](?!x\]).*[}>\]]|(?:short |decision |adr )?title(?: .*here.*)?|number\.? title|template|"
    r"(?:adr|decision record|architecture decision record)(?: template)?",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"^[{<\[][^{}<>\[\]]{3,}[}>\]]\W*$|chosen option: \W*[{\[]|^what is the (?:issue|change) that we|"
    r"^(?:the )?(?:issue|change) (?:motivating this|that we're proposing)",
    re.IGNORECASE,
)
_DECIDES = re.compile(
    r"\b(?:we|it was|team) (?:will|have decided|decided|chose|choose|agreed|have chosen|are going to|"
    r"use|adopt)\b"
    r"|\bdecided (?:to|for|that|on)\b|\bchosen option\b",
    re.IGNORECASE,
)
_DULL = frozenset(
    """adr adrs doc docs decision decisions architecture architectural record records src main content
    with from into that this will uses using instead over than when what which their have should
    our for the and not use""".split()  # noqa: SIM905 - reads better
)


@dataclass(frozen=True, slots=True)
class Adr:
    """One ADR read: the fields of its memory, and what others may call it."""

    origin: str
    number: int | None
    document: JsonObject
    notes: tuple[str, ...]
    mentions: tuple[AdrMention, ...]


def read_all(texts: Iterable[tuple[str, str]]) -> Iterator[Incoming | Skipped]:
    """Read ADRs as one batch of (origin, text), so that they can refer to one another."""
    pieces = (piece for origin, text in texts for piece in apart(text, origin))
    found = [parse(text, origin) for origin, text in pieces]
    adrs = [adr for adr in found if isinstance(adr, Adr)]
    edges = resolve([AdrReference(adr.origin, adr.number, adr.mentions) for adr in adrs])
    for adr in found:
        if isinstance(adr, Skipped):
            yield adr
        else:
            supersessions, notes = edges[adr.origin]
            draft = Draft(adr.document)
            yield Incoming(adr.origin, draft, (*adr.notes, *notes), tuple(supersessions))


def apart(text: str, origin: str) -> list[tuple[str, str]]:
    """A file as (origin, text) of each ADR in it: several when headings of one level number them."""
    _, rest, first = front_matter.split(text)
    found = lines(rest, first)
    headings = [section for section in sections(found) if section.level]
    starts = [(section, number) for section in headings if (number := _own_number(section.title))]
    level = min((section.level for section, _ in starts), default=0)
    starts = [(section, number) for section, number in starts if section.level == level]
    if len({number for _, number in starts}) < 2:
        return [(origin, text)]
    ends = [section.line for section in headings if section.level <= level] + [len(found) + first]
    pieces = []
    for section, number in starts:
        end = ends[bisect_right(ends, section.line)]
        piece = "\n".join(line.text for line in found[section.line - first : end - first])
        pieces.append((f"{origin}#adr-{number}", piece))
    return list(dict(pieces).items())


def _own_number(title: str) -> str:
    """`12` of a heading such as "ADR-12: Use a log"; empty for any other."""
    found = _NUMBER.match(plain(title))
    return (found.group("named") or "") if found else ""


def parse(text: str, origin: str) -> Adr | Skipped:
    """Read one ADR. What is none is skipped, with the reason."""
    if not text.strip():
        return Skipped(origin, "an empty file")
    stem = posixpath.basename(origin).rsplit(".", 1)[0].lower()
    if stem in _INDEX_NAMES:
        return Skipped(origin, "an index or a readme, not a decision")
    head, rest, first = front_matter.split(text)
    cut_up = parts(sections(lines(rest, first)))
    values, preamble = adr_meta.fields(cut_up.preamble, head)
    title, number = _title(cut_up, values, origin)
    if _is_template(stem, cut_up, title, _stated_status(cut_up, values)):
        return Skipped(origin, "a template: its text is placeholders")
    decision = cut_up.text(Role.DECISION) or _loose_decision([*preamble, *cut_up.loose])
    if not decision:
        return Skipped(origin, "no decision in it: no section such as Decision, Outcome or Resolution")
    notes: list[str] = []
    document: JsonObject = {
        "category": "decision",
        "title": title,
        "tags": list[Json](_tags(origin, title, values)),
        "related_files": [origin.partition("#")[0]],
        **_times(cut_up, values, notes),
        "source": source(origin, text),
        "content": _content(cut_up, values, preamble, decision, notes),
    }
    return Adr(origin, number, document, tuple(notes), tuple(_mentions(cut_up, values, preamble)))


def _title(adr: AdrSections, values: Mapping[str, str], origin: str) -> tuple[str, int | None]:
    """The title without its number, and the number, of the file rather than of the title."""
    number = None if "#" in origin else file_number(origin)
    named = plain(adr.title)
    if _NO_NAME.fullmatch(named):
        stated = next((plain(part.text) for part in adr.of(Role.TITLE) if part.text), "")
        named = plain(values.get("title", "")) or stated or _from_file(origin)
    bare = _NUMBER.match(named)
    if bare and named[bare.end() :]:
        digits = bare.group("named") or bare.group("plain")
        number = number if number is not None or not digits else int(digits)
        named = named[bare.end() :]
    elif (loose := _BARE_NUMBER.match(named)) and int(loose.group(1)) == number:
        named = named[loose.end() :]
    return cut(named.strip() or _from_file(origin), TITLE_LENGTH), number


def _from_file(origin: str) -> str:
    stem = posixpath.basename(origin).rsplit(".", 1)[0]
    words = re.sub(r"[-_\s]+", " ", re.sub(r"^(?:adr)?[-_ ]?\d+[-_. ]*", "", stem, flags=re.I)).strip()
    return (words[:1].upper() + words[1:]) or stem or origin or "Untitled"


def _is_template(stem: str, adr: AdrSections, title: str, stated: str) -> bool:
    if "template" in stem or _PLACEHOLDER_TITLE.fullmatch(title) or _offers_statuses(stated):
        return True
    texts = [adr.text(role).strip() for role in (Role.DECISION, Role.CONTEXT)]
    written = [text for text in texts if text]
    return bool(written) and all(_PLACEHOLDER.search(plain(text)) for text in written)


def _offers_statuses(stated: str) -> bool:
    """Whether a status is still the list to choose from. A history of statuses is none."""
    offers = (line for line in stated.split("\n") if re.search(r"[|/{\[<?]", line))
    return any(sum(bool(words.search(line)) for _, words in STATUSES) > 2 for line in offers)


def _loose_decision(found: Iterable[Line]) -> str:
    """A paragraph that decides, in an ADR without a section for it."""
    told = (block.text for block in blocks(found) if isinstance(block, Paragraph))
    return next((text for text in told if _DECIDES.search(text)), "")


def _content(
    adr: AdrSections,
    values: Mapping[str, str],
    preamble: list[Line],
    decision: str,
    notes: list[str],
) -> JsonObject:
    context = _context(adr, preamble, decision)
    if not context:
        notes.append("it gives no context")
        context = "Not stated in the ADR."
    reasons, given = adr_choice.rationale(adr, decision, context)
    if not given:
        notes.append("it gives no reason; the decision's first sentence stands in for one")
    content: JsonObject = {
        "status": _status(adr, values, notes),
        "context": context,
        "decision": decision,
        "rationale": list[Json](reasons),
    }
    if alternatives := adr_choice.alternatives(adr, decision):
        content["alternatives"] = alternatives
    if consequences := adr_choice.consequences(adr):
        content["consequences"] = list[Json](consequences)
    return content


def _context(adr: AdrSections, preamble: Iterable[Line], decision: str) -> str:
    before = "\n".join(line.text for line in preamble if line.text.strip() != decision)
    return adr.text(Role.CONTEXT) or re.sub(r"^[\s>*-]*(?:---+)?\s*$", "", before, flags=re.M).strip()


def _stated_status(adr: AdrSections, values: Mapping[str, str]) -> str:
    fields = values.get("status") or values.get("state") or ""
    return f"{fields}\n{adr.text(Role.STATUS)}".strip()


def _status(adr: AdrSections, values: Mapping[str, str], notes: list[str]) -> str:
    stated = _stated_status(adr, values)
    if not stated:
        notes.append("it gives no status; taken as accepted")
        return "accepted"
    if (known := adr_meta.status(stated)) is None:
        notes.append(f"its status {cut(plain(stated), 60)!r} is none we know; taken as proposed")
        return "proposed"
    return known


def _times(adr: AdrSections, values: Mapping[str, str], notes: list[str]) -> JsonObject:
    keys = ("date", "decided", "decision date", "date of decision")
    stated = next((values[key] for key in keys if values.get(key)), adr.text(Role.DATE))
    when = adr_meta.date(stated or _stated_status(adr, values))
    if when is None:
        if stated:
            notes.append(f"its date {cut(plain(stated), 60)!r} could not be read")
        return {}
    updated = adr_meta.date(values.get("last updated") or values.get("updated") or "") or when
    begun = clock.to_text(when)
    return {
        "created_at": begun,
        "updated_at": clock.to_text(max(when, updated)),
        "valid_from": begun,
    }


def _tags(origin: str, title: str, values: Mapping[str, str]) -> list[str]:
    folders = posixpath.dirname(origin).lower().split("/")
    words = re.findall(r"\w[\w.+#-]*\w", title.lower())
    subjects = [word for word in words if len(word) > 2 and word not in _DULL][:4]
    named = [folder for folder in folders[-2:] if folder.isidentifier() and folder not in _DULL]
    return list(dict.fromkeys(["adr", *adr_meta.tags(values), *named, *subjects]))


def _mentions(
    adr: AdrSections, values: Mapping[str, str], preamble: Iterable[Line]
) -> list[AdrMention]:
    stated = [Line(0, f"{key}: {value}") for key, value in values.items()]
    own: list[Line] = []
    for part in adr.of(Role.STATUS, Role.RELATED):
        own += [
            Line(part.sections[0].line, f"{part.heading} {line.text}")
            for line in _lead(part.heading, part.sections[0].lines)
        ]
        own += [line for section in part.sections for line in section.lines]
    prose = [
        line
        for part in adr.parts
        if part.role not in (Role.STATUS, Role.RELATED, Role.OPTIONS, Role.COMPARISON)
        for section in part.sections
        for line in section.lines
    ]
    found = mentions([*stated, *own], about_itself=True)
    found += mentions([*preamble, *prose, *adr.loose], about_itself=False)
    seen = {
        (mention.target, mention.number, mention.named_is_newer): mention for mention in reversed(found)
    }
    return list(seen.values())[::-1]


def _lead(heading: str, lines: Iterable[Line]) -> list[Line]:
    """The lines that read on from a heading such as "Supersedes"."""
    if not re.match(r"super[sc]ede|replace", heading):
        return []
    return [
        Line(line.number, re.sub(r"^[\s*+-]+", "", line.text)) for line in lines if line.text.strip()
    ]
