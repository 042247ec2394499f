"""What a text says about another memory: "instead of X", "because of Y", "superseded by ADR 7". Pure.

Precision over recall: a cue counts only if the words after it match exactly one other memory.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from recollect.ids import MemoryId, UnifiedId
from recollect.records.body import body
from recollect.records.record import LinkType, Memory
from recollect.text.stemming import stem
from recollect.text.tokens import STOP_WORDS

_SENTENCE = re.compile(r"\n+|(?<=[.!?;])\s+")
_WORD = re.compile(r"[^\W_]+(?:[-_./]\w+)*")
_CLAUSE = re.compile(r"[,;:()\[\]!?\n]|\.(?:\s|$)|\s[-\u2013\u2014]\s")
_BREAK = re.compile(
    r"\b(?:because|which|that|when|while|so|since|for|to|as|but|and then|until)\b", re.I
)
_DENIED = re.compile(
    r"\b(?:not|never|no longer|would|could|might|may|should|if|until|once|unless|whether"
    r"|Not|Never|If|Until|Once|Unless|Whether)\b|n't\b"
)
_NUMBERED = re.compile(r"\b(?:ADR|DR|decision(?: record)?)[\s#_-]*(\d{1,6})\b", re.IGNORECASE)
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")
_ID_DISTANCE = 120  # characters after a cue in which an id still belongs to it
_FILE_NUMBER = re.compile(r"(?:adr|dr|decision)?[-_ ]?(\d{1,6})(?=\D|$)", re.IGNORECASE)
# Stop words, and words that refer to another memory without naming it.
_EMPTY_WORDS = STOP_WORDS | frozenset(
    "always earlier every former never old older one previous use used using".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class _Cue:
    """A phrase and the link type it states; if `inverse`, the link starts at the other memory."""

    words: re.Pattern[str]
    type: LinkType
    inverse: bool = False


_CUES = (
    _Cue(
        re.compile(
            r"\b(?:super[sc]edes|replaces|obsoletes|instead of|in place of|rather than"
            r"|no longer (?:use|need|keep|run|rely on)s?)\b",
            re.I,
        ),
        LinkType.SUPERSEDES,
    ),
    _Cue(
        re.compile(
            r"\b(?:(?:super[sc]eded|replaced|obsoleted) (?:by|with)|(?:dropped|retired) in favou?r of)\b",
            re.I,
        ),
        LinkType.SUPERSEDES,
        inverse=True,
    ),
    _Cue(
        re.compile(
            r"\b(?:because of|due to|owing to|as a (?:result|consequence) of|in response to|caused by"
            r"|prompted by|derived from|follows from)\b",
            re.I,
        ),
        LinkType.DERIVED_FROM,
    ),
    _Cue(
        re.compile(r"\b(?:thanks to|made possible by|enabled by)\b", re.I),
        LinkType.ENABLED,
        inverse=True,
    ),
    _Cue(re.compile(r"\b(?:contradicts|conflicts with|is at odds with)\b", re.I), LinkType.CONTRADICTS),
)


@dataclass(frozen=True)
class NamedMemory:
    """A memory and the names that other texts may use for it."""

    memory: Memory

    @cached_property
    def id(self) -> UnifiedId:
        return self.memory.unified_id

    @cached_property
    def title(self) -> frozenset[str]:
        return words(self.memory.title)

    @cached_property
    def subject(self) -> frozenset[str]:
        """The words of its title, its tags and its id."""
        memory = self.memory
        return self.title | words(" ".join([*memory.tags, memory.id.replace("-", " ")]))

    @cached_property
    def files(self) -> frozenset[str]:
        anchored = (anchor.path for anchor in self.memory.anchors)
        return frozenset({*self.memory.related_files, *anchored})

    @cached_property
    def number(self) -> int | None:
        """Its number as a decision record: from the name of its origin file, or from its title."""
        origin = str(self.memory.source.get("origin") or "")
        match = _FILE_NUMBER.match(posixpath.basename(origin)) if origin else None
        match = match or _NUMBERED.match(self.memory.title)
        return int(match.group(1)) if match else None

    def shares_topic(self, other: "NamedMemory") -> bool:
        """Whether both have a tag or a file in common."""
        tags = {tag.lower() for tag in self.memory.tags}
        shared = tags.intersection(tag.lower() for tag in other.memory.tags)
        return bool(shared) or not self.files.isdisjoint(other.files)


@dataclass(frozen=True, slots=True)
class MemoryMention:
    """A link that a memory's text states in `quote`; that memory is `source` or `target`."""

    source: NamedMemory
    type: LinkType
    target: NamedMemory
    quote: str


def words(text: str) -> frozenset[str]:
    """The stems of a text's words, without stop words."""
    lowered = (word.lower() for word in _WORD.findall(text))
    return frozenset(stem(word) for word in lowered if word not in _EMPTY_WORDS)


def unstemmed(stemmed: str, text: str) -> str:
    """The first word of `text` that has this stem; the stem itself if there is none."""
    return next((word for word in _WORD.findall(text.lower()) if stem(word) == stemmed), stemmed)


class MemoryNames:
    """Memories by the names that a text may use for them."""

    def __init__(self, memories: Sequence[NamedMemory]) -> None:
        self.ids = {named.memory.id: named for named in memories}
        self.numbers: dict[int, list[NamedMemory]] = defaultdict(list)
        self.words: dict[str, list[NamedMemory]] = defaultdict(list)
        for named in memories:
            if named.number is not None:
                self.numbers[named.number].append(named)
            for word in sorted(named.subject):
                self.words[word].append(named)

    def by_id(self, text: str) -> list[NamedMemory]:
        """Memories whose id occurs in the text; ids without a hyphen are not looked up."""
        ids = dict.fromkeys(_ID.findall(text))
        return [self.ids[MemoryId(id)] for id in ids if id in self.ids]

    def by_number(self, text: str) -> list[NamedMemory]:
        """Memories with the decision record number that the text begins with."""
        number = _NUMBERED.match(text.strip())
        return self.numbers.get(int(number.group(1)), []) if number else []

    def by_title(self, terms: frozenset[str]) -> list[NamedMemory]:
        """Memories whose title words are all among `terms`."""
        candidates = {named.id: named for term in sorted(terms) for named in self.words.get(term, ())}
        return [named for named in candidates.values() if len(named.title) > 1 and named.title <= terms]

    def by_subject(self, terms: frozenset[str]) -> list[NamedMemory]:
        """Memories whose subject contains all of `terms`."""
        rarest = min((self.words.get(term, []) for term in sorted(terms)), key=len, default=[])
        return [named for named in rarest if terms <= named.subject]


def mentions(holder: NamedMemory, names: MemoryNames) -> Iterator[MemoryMention]:
    """The links to other memories that a memory's text states."""
    text = f"{holder.memory.title}\n{body(holder.memory)}"
    for sentence in _SENTENCE.split(text):
        for cue in _CUES:
            for match in cue.words.finditer(sentence):
                if _DENIED.search(_CLAUSE.split(sentence[: match.start()])[-1]):
                    continue
                other = _referent(sentence[match.end() :], cue, holder, names)
                if other is not None:
                    ends = (other, holder) if cue.inverse else (holder, other)
                    yield MemoryMention(ends[0], cue.type, ends[1], sentence.strip())


def _referent(tail: str, cue: _Cue, holder: NamedMemory, names: MemoryNames) -> NamedMemory | None:
    """The memory that the words after a cue refer to; None if there is none, or more than one."""
    clause = _CLAUSE.split(tail, maxsplit=1)[0]
    for candidates in (
        names.by_id(tail[:_ID_DISTANCE]),
        names.by_number(clause),
        names.by_title(words(clause)),
        _by_subject(_BREAK.split(clause, maxsplit=1)[0], holder, names),
    ):
        others = [other for other in candidates if other.id != holder.id]
        if others:
            fits = len(others) == 1 and _fits(cue, holder, others[0])
            return others[0] if fits else None
    return None


def _by_subject(phrase: str, holder: NamedMemory, names: MemoryNames) -> list[NamedMemory]:
    """Memories whose subject contains every word of `phrase`; a single match must share a topic.

    A single word must be in the title, must not be part of the holder's own subject, and must not be a
    verb: "instead of waiting" refers to no memory.
    """
    terms = words(phrase)
    if not terms or terms <= holder.subject:
        return []
    if len(terms) == 1 and phrase.rstrip().endswith("ing"):
        return []
    matches = names.by_subject(terms)
    if len(matches) == 1 and not matches[0].shares_topic(holder):
        return []
    return [named for named in matches if len(terms) > 1 or terms <= named.title]


def _fits(cue: _Cue, holder: NamedMemory, other: NamedMemory) -> bool:
    """Whether the link makes sense: a memory that replaces or follows another is the later of the two."""
    first, second = (holder, other) if cue.inverse else (other, holder)
    older, newer = first.memory, second.memory
    match cue.type:
        case LinkType.SUPERSEDES:
            return older.category is newer.category and older.created_at <= newer.created_at
        case LinkType.CONTRADICTS:
            return True
        case _:
            return other.memory.created_at <= holder.memory.created_at
