"""Which ADR replaced which: the words they say it in, and the files those words mean.

"Amends" and "amended by" change a decision and leave it in force: they are no supersession.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from recollect.importing.incoming import Supersession
from recollect.markdown.lines import Line
from recollect.markdown.plain import cut

_VERB = re.compile(
    r"\b(?:(?P<older>super[sc]eded|replaced|obsoleted)[\s*_:-]+by|(?P<newer>super[sc]edes|replaces|obsoletes))"
    r"[\s*_:]*(?:the |our )?",
    re.IGNORECASE,
)
_PLAIN_VERB = re.compile(r"super", re.IGNORECASE)
_DENIED = re.compile(
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
    """An ADR that another names: by the target of a link, by a number, or both."""

    target: str
    number: int | None
    quote: str
    named_is_newer: bool


@dataclass(frozen=True, slots=True)
class AdrReference:
    """What other ADRs may call one: its file and its number."""

    origin: str
    number: int | None
    mentions: tuple[AdrMention, ...]


def file_number(origin: str) -> int | None:
    """The number in a file's name: 7 of `docs/adr/0007-use-x.md`."""
    found = _FILE_NUMBER.match(posixpath.basename(origin))
    return int(found.group(1)) if found else None


def mentions(found: Iterable[Line], *, about_itself: bool) -> list[AdrMention]:
    """The supersessions in these lines.

    In the lines an ADR says about itself, "replaces" and a bare number count; in its prose only the
    word itself does, with an ADR named right behind it.
    """
    result: list[AdrMention] = []
    for line in found:
        for verb in () if line.code else _VERB.finditer(line.text):
            denied = _DENIED.search(line.text, max(0, verb.start() - 20), verb.start())
            if denied or not (about_itself or _PLAIN_VERB.match(verb.group())):
                continue
            newer, quote = verb.group("older") is not None, cut(line.text.strip(" *-\t>|"), 300)
            result += [
                _mention(reference, quote, named_is_newer=newer)
                for reference in _references(line.text, verb.end())
                if about_itself or not reference.group("bare")
            ]
    return result


def _references(text: str, position: int) -> list[re.Match[str]]:
    """The references that stand one after another from `position`."""
    found: list[re.Match[str]] = []
    while reference := _REFERENCE.match(text, position):
        found.append(reference)
        between = _BETWEEN.match(text, reference.end())
        if not between:
            break
        position = between.end()
    return found


def _mention(reference: re.Match[str], quote: str, *, named_is_newer: bool) -> AdrMention:
    words, target = reference.group("words") or "", reference.group("target") or ""
    target = target.split(" ")[0].partition("#")[0] or reference.group("file") or ""
    named = reference.group("number") or reference.group("bare")
    if not named and (digits := _NUMBER.search(words)):
        named = digits.group()
    number = int(named) if named else file_number(target) if target else None
    return AdrMention(unquote(target), number, quote, named_is_newer)


def resolve(adrs: Sequence[AdrReference]) -> dict[str, tuple[list[Supersession], list[str]]]:
    """For each ADR what it says was superseded, and notes on what could not be made out."""
    known = {adr.origin for adr in adrs}
    numbered: dict[int, list[str]] = defaultdict(list)
    for adr in adrs:
        if adr.number is not None:
            numbered[adr.number].append(adr.origin)
    result: dict[str, tuple[list[Supersession], list[str]]] = {}
    for adr in adrs:
        edges, notes = result.setdefault(adr.origin, ([], []))
        for mention in adr.mentions:
            other = _meant(mention, adr.origin, known, numbered)
            if other is None:
                notes.append(
                    f"no ADR of this import is meant by {mention.quote!r}, so nothing is linked"
                )
            elif other != adr.origin:
                newer, older = (other, adr.origin) if mention.named_is_newer else (adr.origin, other)
                evidence = f"{adr.origin} says: {mention.quote}"
                edges.append(Supersession(newer, older, evidence))
    return result


def _meant(
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
    candidates = numbered.get(mention.number, []) if mention.number is not None else []
    near = [other for other in candidates if posixpath.dirname(other) == folder] or candidates
    if len(near) == 1:
        return near[0]
    if mention.target.endswith((".md", ".markdown")) and "://" not in mention.target:
        return posixpath.normpath(posixpath.join(folder, mention.target))  # it may be here already
    return None
