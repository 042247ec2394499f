"""Which ADR supersedes which: the words that state it, and the files those words refer to.

"Amends" and "amended by" change a decision and leave it in force, so they do not count.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from recollect.importing.incoming import Supersession
from recollect.markdown.plain import cut

_VERB = re.compile(
    r"\b(?:(?P<older>super[sc]eded|replaced|obsoleted)[\s*_:-]+by|(?P<newer>super[sc]edes|replaces|obsoletes))"
    r"[\s*_:]*(?:the |our )?",
    re.IGNORECASE,
)
_PLAIN_VERB = re.compile(r"super", re.IGNORECASE)
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


@dataclass(frozen=True, slots=True)
class AdrReference:
    """The names of an ADR, its file and its number, and the ADRs it mentions."""

    origin: str
    number: int | None
    mentions: tuple[AdrMention, ...]


def file_number(origin: str) -> int | None:
    """The number in a file's name: 7 of `docs/adr/0007-use-x.md`."""
    match = _FILE_NUMBER.match(posixpath.basename(origin))
    return int(match.group(1)) if match else None


def mentions(lines: Iterable[str], *, metadata: bool) -> list[AdrMention]:
    """The supersessions that these lines state.

    In the metadata of an ADR, "replaces" and a bare number count; in its prose only "supersedes" does, with
    an ADR named right behind it.
    """
    result: list[AdrMention] = []
    for line in lines:
        for verb in _VERB.finditer(line):
            negated = _NEGATED.search(line, max(0, verb.start() - 20), verb.start())
            if negated or not (metadata or _PLAIN_VERB.match(verb.group())):
                continue
            newer, quote = verb.group("older") is not None, cut(line.strip(" *-\t>|"), 300)
            result += [
                _mention(reference, quote, named_is_newer=newer)
                for reference in _references(line, verb.end())
                if metadata or not reference.group("bare")
            ]
    return result


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


def _mention(reference: re.Match[str], quote: str, *, named_is_newer: bool) -> AdrMention:
    words, target = reference.group("words") or "", reference.group("target") or ""
    target = target.split(" ")[0].partition("#")[0] or reference.group("file") or ""
    named = reference.group("number") or reference.group("bare")
    if not named and (digits := _NUMBER.search(words)):
        named = digits.group()
    number = int(named) if named else file_number(target) if target else None
    return AdrMention(unquote(target), number, quote, named_is_newer)


def resolve(adrs: Sequence[AdrReference]) -> dict[str, tuple[list[Supersession], list[str]]]:
    """For each ADR the supersessions it states, and notes on references that match no ADR."""
    known = {adr.origin for adr in adrs}
    numbered: dict[int, list[str]] = defaultdict(list)
    for adr in adrs:
        if adr.number is not None:
            numbered[adr.number].append(adr.origin)
    result: dict[str, tuple[list[Supersession], list[str]]] = {}
    for adr in adrs:
        edges, notes = result.setdefault(adr.origin, ([], []))
        for mention in adr.mentions:
            other = _origin_of(mention, adr.origin, known, numbered)
            if other is None:
                notes.append(f"not linked, because no ADR of this import matches {mention.quote!r}")
            elif other != adr.origin:
                newer, older = (other, adr.origin) if mention.named_is_newer else (adr.origin, other)
                evidence = f"{adr.origin} says: {mention.quote}"
                edges.append(Supersession(newer, older, evidence))
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
