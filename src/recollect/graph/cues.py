"""What a text says about another memory: "instead of X", "because of Y", "superseded by ADR 7". Pure.

Made for precision: a cue counts only when exactly one other memory can be meant by what stands behind it.
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
from recollect.text.stop_words import STOP_WORDS

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
_NEAR = 120  # characters behind a cue in which an id is still what it speaks of
_FILE_NUMBER = re.compile(r"(?:adr|dr|decision)?[-_ ]?(\d{1,6})(?=\D|$)", re.IGNORECASE)
# Beside stop words, those with which a text points at another memory without naming it.
_EMPTY_WORDS = STOP_WORDS | frozenset(
    "always earlier every former never old older one previous use used using".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class _Cue:
    """Words that say what the memory they stand in is to another, or `turned`, the other to it."""

    words: re.Pattern[str]
    type: LinkType
    turned: bool = False


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
        turned=True,
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
        turned=True,
    ),
    _Cue(re.compile(r"\b(?:contradicts|conflicts with|is at odds with)\b", re.I), LinkType.CONTRADICTS),
)


@dataclass(frozen=True)
class NamedMemory:
    """A memory, and what others may call it."""

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
        """Its number as a decision record: that of the file it came from, or of its title."""
        origin = str(self.memory.source.get("origin") or "")
        found = _FILE_NUMBER.match(posixpath.basename(origin)) if origin else None
        found = found or _NUMBERED.match(self.memory.title)
        return int(found.group(1)) if found else None

    def near(self, other: "NamedMemory") -> bool:
        """Whether two are about the same part of a project: a tag or a file in common."""
        tags = {tag.lower() for tag in self.memory.tags}
        shared = tags.intersection(tag.lower() for tag in other.memory.tags)
        return bool(shared) or not self.files.isdisjoint(other.files)


@dataclass(frozen=True, slots=True)
class MemoryMention:
    """`holder` says, in `quote`, that `source` is this to `target`; one of the two is the holder."""

    source: NamedMemory
    type: LinkType
    target: NamedMemory
    quote: str


def words(text: str) -> frozenset[str]:
    """What a text is about: the stems of its words, without the empty ones."""
    found = (word.lower() for word in _WORD.findall(text))
    return frozenset(stem(word) for word in found if word not in _EMPTY_WORDS)


def spoken(word: str, text: str) -> str:
    """How a word that `words` gives stands in a text."""
    return next((one for one in _WORD.findall(text.lower()) if stem(one) == word), word)


class MemoryNames:
    """Memories, looked up by what a text may call them."""

    def __init__(self, named: Sequence[NamedMemory]) -> None:
        self.ids = {one.memory.id: one for one in named}
        self.numbers: dict[int, list[NamedMemory]] = defaultdict(list)
        self.words: dict[str, list[NamedMemory]] = defaultdict(list)
        for one in named:
            if one.number is not None:
                self.numbers[one.number].append(one)
            for word in sorted(one.subject):
                self.words[word].append(one)

    def by_id(self, text: str) -> list[NamedMemory]:
        """Those whose id stands in the text; a plain word is no id."""
        told = dict.fromkeys(_ID.findall(text))
        return [self.ids[MemoryId(id)] for id in told if id in self.ids]

    def by_number(self, text: str) -> list[NamedMemory]:
        """Those whose number as a decision record the text begins with."""
        number = _NUMBERED.match(text.strip())
        return self.numbers.get(int(number.group(1)), []) if number else []

    def by_title(self, told: frozenset[str]) -> list[NamedMemory]:
        """Those whose whole title is among the words."""
        near = {one.id: one for word in sorted(told) for one in self.words.get(word, ())}
        return [one for one in near.values() if len(one.title) > 1 and one.title <= told]

    def by_subject(self, told: frozenset[str]) -> list[NamedMemory]:
        """Those whose subject has all of the words."""
        rarest = min((self.words.get(word, []) for word in sorted(told)), key=len, default=[])
        return [one for one in rarest if told <= one.subject]


def mentions(holder: NamedMemory, names: MemoryNames) -> Iterator[MemoryMention]:
    """What a memory's text says about others."""
    text = f"{holder.memory.title}\n{body(holder.memory)}"
    for sentence in _SENTENCE.split(text):
        for cue in _CUES:
            for found in cue.words.finditer(sentence):
                if _DENIED.search(_CLAUSE.split(sentence[: found.start()])[-1]):
                    continue
                meant = _meant(sentence[found.end() :], cue, holder, names)
                if meant is not None:
                    ends = (meant, holder) if cue.turned else (holder, meant)
                    yield MemoryMention(ends[0], cue.type, ends[1], sentence.strip())


def _meant(tail: str, cue: _Cue, holder: NamedMemory, names: MemoryNames) -> NamedMemory | None:
    """The one memory that the words behind a cue can mean; None when none or several can."""
    clause = _CLAUSE.split(tail, maxsplit=1)[0]
    for found in (
        names.by_id(tail[:_NEAR]),
        names.by_number(clause),
        names.by_title(words(clause)),
        _by_subject(_BREAK.split(clause, maxsplit=1)[0], holder, names),
    ):
        others = [other for other in found if other.id != holder.id]
        if others:
            fits = len(others) == 1 and _fits(cue, holder, others[0])
            return others[0] if fits else None
    return None


def _by_subject(told: str, holder: NamedMemory, names: MemoryNames) -> list[NamedMemory]:
    """Those about the same part of the project whose subject has every word that is told.

    A single word must be of the title, none of what the holder itself is about, and no doing: who writes
    "instead of waiting" speaks of no memory.
    """
    phrase = words(told)
    if not phrase or phrase <= holder.subject:
        return []
    if len(phrase) == 1 and told.rstrip().endswith("ing"):
        return []
    found = names.by_subject(phrase)
    if len(found) == 1 and not found[0].near(holder):
        return []
    return [one for one in found if len(phrase) > 1 or phrase <= one.title]


def _fits(cue: _Cue, holder: NamedMemory, other: NamedMemory) -> bool:
    """Whether a link of this type between the two makes sense: what replaces or follows is the later one."""
    first, second = (holder, other) if cue.turned else (other, holder)
    one, two = first.memory, second.memory
    match cue.type:
        case LinkType.SUPERSEDES:
            return one.category is two.category and one.created_at <= two.created_at
        case LinkType.CONTRADICTS:
            return True
        case _:
            return other.memory.created_at <= holder.memory.created_at
