"""Architecture decision records in Markdown: MADR, Nygard's and looser ones become decisions.

Nothing is invented: a field that the ADR lacks is filled from the closest text in it, and a note says so.
Nothing is lost: code, tables and sections that fit no field are stored beside the fields, and a note names
them.
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
from recollect.importing.adr_sections import AdrSections, Role, by_role
from recollect.importing.incoming import Incoming, Skipped, source
from recollect.importing.leftovers import Leftover, leftovers
from recollect.markdown import page
from recollect.markdown.page import Paragraph, blocks, lines_outside_code
from recollect.markdown.plain import cut, plain
from recollect.records.body import OTHER_SECTIONS
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
    """An ADR, parsed: the fields of its memory, and the ADRs it mentions."""

    origin: str
    number: int | None
    document: JsonObject
    notes: tuple[str, ...]
    mentions: tuple[AdrMention, ...]
    partly_superseded: bool = False


def read_all(texts: Iterable[tuple[str, str]]) -> Iterator[Incoming | Skipped]:
    """Parse ADRs, given as (origin, text), in one batch, so that they can refer to one another."""
    pieces = (piece for origin, text in texts for piece in split(text, origin))
    parsed = [parse(text, origin) for origin, text in pieces]
    adrs = [adr for adr in parsed if isinstance(adr, Adr)]
    edges = resolve(
        [AdrReference(adr.origin, adr.number, adr.mentions, adr.partly_superseded) for adr in adrs]
    )
    for adr in parsed:
        if isinstance(adr, Skipped):
            yield adr
        else:
            stated = edges[adr.origin]
            yield Incoming(
                adr.origin,
                Draft(adr.document),
                (*adr.notes, *stated.notes),
                tuple(stated.successions),
            )


def split(text: str, origin: str) -> list[tuple[str, str]]:
    """A file as (origin, text) of each ADR in it: several when headings of one level number them."""
    parsed = page.read(text)
    headings = [section for section in parsed.sections if section.level]
    starts = [(section, number) for section in headings if (number := _own_number(section.title))]
    level = min((section.level for section, _ in starts), default=0)
    starts = [(section, number) for section, number in starts if section.level == level]
    if len({number for _, number in starts}) < 2:
        return [(origin, text)]
    lines, first = parsed.text.split("\n"), parsed.first
    ends = [section.line for section in headings if section.level <= level] + [len(lines) + first]
    pieces = {}
    for section, number in starts:
        end = ends[bisect_right(ends, section.line)]
        pieces[f"{origin}#adr-{number}"] = "\n".join(lines[section.line - first : end - first])
    return list(pieces.items())


def _own_number(title: str) -> str:
    """`12` of a heading such as "ADR-12: Use a log"; empty for any other."""
    match = _NUMBER.match(plain(title))
    return (match.group("named") or "") if match else ""


def parse(text: str, origin: str) -> Adr | Skipped:
    """Parse one ADR. A text that is not a decision is skipped with the reason."""
    if not text.strip():
        return Skipped(origin, "an empty file")
    stem = posixpath.basename(origin).rsplit(".", 1)[0].lower()
    if stem in _INDEX_NAMES:
        return Skipped(origin, "an index or a readme, not a decision")
    parsed = page.read(text)
    adr = by_role(parsed.sections)
    values, preamble = adr_meta.fields("\n".join(adr.preamble), parsed.head)
    title, number = _title(adr, values, origin)
    if _is_template(stem, adr, title, _stated_status(adr, values)):
        return Skipped(origin, "a template: its text is placeholders")
    decision = adr.text(Role.DECISION) or _loose_decision([preamble, *adr.loose])
    if not decision:
        return Skipped(origin, "no decision in it: no section such as Decision, Outcome or Resolution")
    notes: list[str] = []
    document: JsonObject = {
        "category": "decision",
        "title": title,
        "tags": list[Json](_tags(origin, title, values)),
        "related_files": [origin.partition("#")[0]],
        **_times(adr, values, notes),
        "source": source(origin, text),
        "content": _content(adr, values, preamble, decision, notes),
    }
    _add_leftovers(document, adr, values, preamble, notes)
    partly = adr_meta.is_partly_superseded(_stated_status(adr, values))
    mentioned = tuple(_mentions(adr, values, preamble))
    return Adr(origin, number, document, tuple(notes), mentioned, partly)


def _title(adr: AdrSections, values: Mapping[str, str], origin: str) -> tuple[str, int | None]:
    """The title without its number, and the number: the file's, else the title's."""
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
    """Whether a status is still the template's list of choices. A history of statuses is not."""
    offers = (line for line in stated.split("\n") if re.search(r"[|/{\[<?]", line))
    return any(sum(bool(words.search(line)) for _, words in STATUSES) > 2 for line in offers)


def _loose_decision(texts: Iterable[str]) -> str:
    """The first paragraph that states a decision, in an ADR without a section for it."""
    paragraphs = (block for text in texts for block in blocks(text) if isinstance(block, Paragraph))
    return next((block.text for block in paragraphs if _DECIDES.search(block.text)), "")


def _content(
    adr: AdrSections, values: Mapping[str, str], preamble: str, decision: str, notes: list[str]
) -> JsonObject:
    context = _context(adr, preamble, decision)
    if not context:
        notes.append("no context stated")
        context = "Not stated in the ADR."
    reasons, stated = adr_choice.rationale(adr, decision, context)
    if not stated:
        notes.append("no reason stated; the first sentence of the decision is used instead")
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


def _add_leftovers(
    document: JsonObject,
    adr: AdrSections,
    values: Mapping[str, str],
    preamble: str,
    notes: list[str],
) -> None:
    """Put what fits no field beside the fields, and name it in a note."""
    parts = [("Title", adr.title), ("Introduction", preamble)]
    for adr_section in adr.sections:
        if adr_section.role is not Role.DATE or adr_meta.date(adr_section.text) is None:
            parts += [(plain(section.title), section.text) for section in adr_section.sections]
    parts += [(plain(section.title), section.text) for section in adr.unclassified]
    others = [*_unused_values(values, document), *leftovers(parts, document)]
    if others:
        rows: list[Json] = [{"heading": other.heading, "text": other.text} for other in others]
        content = document["content"]
        assert isinstance(content, dict)
        content[OTHER_SECTIONS] = rows
        notes.append(f"kept outside the fields: {', '.join(other.heading for other in others)}")


def _unused_values(values: Mapping[str, str], document: JsonObject) -> list[Leftover]:
    """The metadata that is in no field, without dates that were understood."""
    unused = [
        f"{key}: {value}"
        for key, value in values.items()
        if not ("dat" in key and adr_meta.date(value)) and leftovers([("", value)], document)
    ]
    return [Leftover("Metadata", "\n".join(unused))] if unused else []


def _context(adr: AdrSections, preamble: str, decision: str) -> str:
    before = "\n".join(line for line in preamble.split("\n") if line.strip() != decision)
    return adr.text(Role.CONTEXT) or re.sub(r"^[\s>*-]*(?:---+)?\s*$", "", before, flags=re.M).strip()


def _stated_status(adr: AdrSections, values: Mapping[str, str]) -> str:
    lines = [values.get("status") or values.get("state") or ""]
    if values.get("superseded"):
        lines.append(f"Superseded: {values['superseded']}")
    return "\n".join([*lines, adr.text(Role.STATUS)]).strip()


def _status(adr: AdrSections, values: Mapping[str, str], notes: list[str]) -> str:
    stated = _stated_status(adr, values)
    if not stated:
        notes.append("no status; imported as accepted")
        return "accepted"
    if (known := adr_meta.status(stated)) is None:
        notes.append(f"unknown status {cut(plain(stated), 60)!r}; imported as proposed")
        return "proposed"
    if adr_meta.is_partly_superseded(stated):
        notes.append(f"only part of it is superseded, so it stays in force: {cut(plain(stated), 60)!r}")
    return known


def _times(adr: AdrSections, values: Mapping[str, str], notes: list[str]) -> JsonObject:
    keys = ("date", "decided", "decision date", "date of decision")
    stated = next((values[key] for key in keys if values.get(key)), adr.text(Role.DATE))
    status = _stated_status(adr, values)
    end = adr_meta.superseded_on(status) if adr_meta.status(status) == "superseded" else None
    ended: JsonObject = {"valid_to": clock.to_text(end)} if end else {}
    when = adr_meta.date(stated or adr_meta.without_supersession(status))
    if when is None:
        if stated:
            notes.append(f"unknown date {cut(plain(stated), 60)!r}")
        return ended
    updated = adr_meta.date(values.get("last updated") or values.get("updated") or "") or when
    created = clock.to_text(when)
    return {
        "created_at": created,
        "updated_at": clock.to_text(max(when, updated, end or when)),
        "valid_from": created,
        **ended,
    }


def _tags(origin: str, title: str, values: Mapping[str, str]) -> list[str]:
    folders = posixpath.dirname(origin).lower().split("/")
    words = re.findall(r"\w[\w.+#-]*\w", title.lower())
    subjects = [word for word in words if len(word) > 2 and word not in _DULL][:4]
    named = [folder for folder in folders[-2:] if folder.isidentifier() and folder not in _DULL]
    return list(dict.fromkeys(["adr", *adr_meta.tags(values), *named, *subjects]))


def _mentions(adr: AdrSections, values: Mapping[str, str], preamble: str) -> list[AdrMention]:
    metadata = [f"{key}: {value}" for key, value in values.items()]
    prose = _lines([preamble])
    for adr_section in adr.sections:
        lines = _lines(section.text for section in adr_section.sections)
        if adr_section.role in (Role.STATUS, Role.RELATED):
            metadata += [*_continued(adr_section.heading, adr_section.sections[0].text), *lines]
        elif adr_section.role not in (Role.OPTIONS, Role.COMPARISON):
            prose += lines
    prose += _lines(adr.loose)
    every = [*mentions(metadata, metadata=True), *mentions(prose, metadata=False)]
    first = {
        (mention.target, mention.number, mention.named_is_newer, mention.is_amendment): mention
        for mention in reversed(every)
    }
    return list(first.values())[::-1]


def _lines(texts: Iterable[str]) -> list[str]:
    return [line for text in texts for _, line in lines_outside_code(text)]


def _continued(heading: str, text: str) -> list[str]:
    """The lines below a heading such as "Supersedes", each continuing it."""
    if not re.match(r"super[sc]ede|replace|amend", heading):
        return []
    lines = (re.sub(r"^[\s*+-]+", "", line) for line in text.split("\n") if line.strip())
    return [f"{heading} {line}" for line in lines]
