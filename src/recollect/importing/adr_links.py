"""Which ADR supersedes or amends which: the words that state it, and the files those words refer to.

An amendment changes a decision and leaves it in force; so does one that supersedes only a part of it.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from recollect.importing.adr_meta import WHEN
from recollect.importing.incoming import Succession
from recollect.markdown.plain import cut

_VERB = re.compile(
    r"\b(?:(?P<older>super[sc]eded|replaced|obsoleted|(?P<amended>amended|clarified|extended))"
    rf"(?P<part>[\s*_,-]+(?:in part|partly|partially))?{WHEN}[\s*_:,-]*\bby"
    r"|(?:super[sc]edes|replaces|obsoletes|(?P<amends>amends|clarifies|extends))\b"
    r"(?P<some>\s+(?:in part|partly|partially|(?:some )?parts? of|some of|(?:the )?sections? \S+ of))?)"
    r"[\s*_:]*(?:the |our )?",
    re.IGNORECASE,
)
_PLAIN_VERB = re.compile(r"super|amend", re.IGNORECASE)
_PARTLY = re.compile(r"\b(?:partly|partially|in part)[\s*_,:-]*$", re.IGNORECASE)
# What a sentence that speaks of the whole record has before its verb.
_OF_THE_RECORD = re.compile(
    r"\W*(?:(?:note|warning|important|update|status)\W+)?"
    r"(?:(?:this|the|our)?\s*(?:adr|decision|record|document|proposal|rfc|it|this)(?: record)?[\s\d-]*)?"
    r"(?:is|was|has been|has since been|has now been|is now|now|got)?\W*",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|never|would|could|might|may|should|if|until|once|when)(?: be| been)?\s*$", re.I
)
_REFERENCE = re.compile(
    r"(?:(?:ADR|DR|RFC|decision)[\s#-]*)?\[{1,2}(?P<words>[^\[\]]{1,200})\]{1,2}(?:\((?P<target>[^()]*)\))?"
    r"|(?P<file>[\w./-]{1,200}\.(?:md|markdown))\b"
    r"|(?:ADR|DR|decision(?: record)?)[\s#_-]*(?P<number>\d{1,6})\b"
    r"|#?(?P<bare>\d{1,6})(?=[-.,;\s)]|$)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\s*_]*(?:,|;|&|/|\band\b)[\s*_]*(?:by )?", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,6}")
_FILE_NUMBER = re.compile(r"(?:adr|dr|decision)?[-_ ]?(\d{1,6})(?=\D|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AdrMention:
    """A mention of another ADR: by the target of a link, by a number, or both."""

    target: str
    number: int | None
    quote: str
    named_is_newer: bool
    is_amendment: bool = False


@dataclass(frozen=True, slots=True)
class AdrReference:
    """The names of an ADR, its file and its number, and the ADRs it mentions.

    One that is `partly_superseded` by its own status is superseded as a whole by no other.
    """

    origin: str
    number: int | None
    mentions: tuple[AdrMention, ...]
    partly_superseded: bool = False


@dataclass(frozen=True, slots=True)
class AdrEdges:
    """What an ADR states about others, and notes on references that match no ADR."""

    successions: list[Succession] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def file_number(origin: str) -> int | None:
    """The number in a file's name: 7 of `docs/adr/0007-use-x.md`."""
    match = _FILE_NUMBER.match(posixpath.basename(origin))
    return int(match.group(1)) if match else None


def mentions(lines: Iterable[str], *, metadata: bool) -> list[AdrMention]:
    """The supersessions and amendments that these lines state.

    In the metadata of an ADR, "replaces" and a bare number count; in its prose only "supersedes" and "amends"
    do, with an ADR named right behind them. Prose that says what was superseded, and does not mean the whole
    record ("these ranges have been superseded by ADR 3"), is an amendment.
    """
    result: list[AdrMention] = []
    for line in lines:
        for verb in _VERB.finditer(line):
            negated = _NEGATED.search(line, max(0, verb.start() - 20), verb.start())
            if negated or not (metadata or _PLAIN_VERB.match(verb.group())):
                continue
            newer, quote = verb.group("older") is not None, cut(line.strip(" *-\t>|"), 300)
            is_amendment = _is_amendment(verb, line, metadata=metadata)
            result += [
                _mention(reference, quote, named_is_newer=newer, is_amendment=is_amendment)
                for reference in _references(line, verb.end())
                if metadata or not reference.group("bare")
            ]
    return result


def _is_amendment(verb: re.Match[str], line: str, *, metadata: bool) -> bool:
    """Whether a statement leaves the older record in force."""
    before = line[: verb.start()]
    if any(verb.group(name) for name in ("amended", "amends", "part", "some")) or _PARTLY.search(
        before
    ):
        return True
    speaks_of_itself = metadata or verb.group("older") is None
    return not speaks_of_itself and _OF_THE_RECORD.fullmatch(before) is None


def _references(text: str, position: int) -> list[re.Match[str]]:
    """The references that follow one another from `position`."""
    references: list[re.Match[str]] = []
    while reference := _REFERENCE.match(text, position):
        references.append(reference)
        between = _BETWEEN.match(text, reference.end())
        if not between:
            break
        position = between.end()
    return references


def _mention(
    reference: re.Match[str], quote: str, *, named_is_newer: bool, is_amendment: bool
) -> AdrMention:
    words, target = reference.group("words") or "", reference.group("target") or ""
    target = target.split(" ")[0].partition("#")[0] or reference.group("file") or ""
    named = reference.group("number") or reference.group("bare")
    if not named and (digits := _NUMBER.search(words)):
        named = digits.group()
    number = int(named) if named else file_number(target) if target else None
    return AdrMention(unquote(target), number, quote, named_is_newer, is_amendment)


def resolve(adrs: Sequence[AdrReference]) -> dict[str, AdrEdges]:
    """What each ADR states about the others."""
    partly = {adr.origin for adr in adrs if adr.partly_superseded}
    known = {adr.origin for adr in adrs}
    numbered: dict[int, list[str]] = defaultdict(list)
    for adr in adrs:
        if adr.number is not None:
            numbered[adr.number].append(adr.origin)
    result: dict[str, AdrEdges] = {}
    for adr in adrs:
        edges = result.setdefault(adr.origin, AdrEdges())
        for mention in adr.mentions:
            other = _origin_of(mention, adr.origin, known, numbered)
            if other is None:
                edges.notes.append(
                    f"not linked, because no ADR of this import matches {mention.quote!r}"
                )
            elif other != adr.origin:
                newer, older = (other, adr.origin) if mention.named_is_newer else (adr.origin, other)
                evidence = f"{adr.origin} says: {mention.quote}"
                is_amendment = mention.is_amendment or older in partly
                edges.successions.append(Succession(newer, older, evidence, is_amendment))
    return result


def _origin_of(
    mention: AdrMention, origin: str, known: set[str], numbered: dict[int, list[str]]
) -> str | None:
    folder = posixpath.dirname(origin)
    if mention.target and "://" not in mention.target:
        path = posixpath.normpath(posixpath.join(folder, mention.target))
        if path in known:
            return path
        base = posixpath.basename(path)
        same_name = [other for other in known if posixpath.basename(other) == base]
        if len(same_name) == 1:
            return same_name[0]
    numbers = numbered.get(mention.number, []) if mention.number is not None else []
    candidates = [other for other in numbers if posixpath.dirname(other) == folder] or numbers
    if len(candidates) == 1:
        return candidates[0]
    if mention.target.endswith((".md", ".markdown")) and "://" not in mention.target:
        return posixpath.normpath(
            posixpath.join(folder, mention.target)
        )  # it may have been imported before
    return None
