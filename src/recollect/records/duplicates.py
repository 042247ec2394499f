"""Duplicate detection: a sketch per memory, compared by Jaccard similarity.

A sketch is bottom-k MinHash over words and pairs of words: the 128 smallest hashes of the set, from
which the similarity of two sets is estimated; smaller sets are compared exactly. Two texts that differ
in a number or an identifier are never near-duplicates: "port 5432" and "port 5433" are two facts, however
similar the sentences are. Two texts that differ only in one word of the title are not either: "orders may
be cancelled" and "invoices may be cancelled" have two subjects.
"""

import re
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from recollect.ids import MemoryId
from recollect.records.body import body
from recollect.records.categories import Category
from recollect.records.record import Memory
from recollect.text.stemming import stem
from recollect.text.tokens import STOP_WORDS

SKETCH_SIZE = 128
NEAR = 0.55  # share of common words and pairs: a reworded sentence or two, not a related subject
_WORD = re.compile(r"\w+(?:[._\-/:]+\w+)*")
_DIGIT = re.compile(r"\d")
_CODE = re.compile(r"[\d._/:]|[a-z][A-Z]")
_ACRONYM = re.compile(r"[A-Z]{2,}")
_EMPTY_WORDS = STOP_WORDS - {"no", "nor", "not"}  # negations change the meaning


@dataclass(frozen=True, slots=True)
class Sketch:
    """The parts of a memory that are compared.

    Duplicates share `text_digest`, `title` or `facts`, so candidates can be looked up by these. A server
    keeps a sketch of every memory, so a sketch is small: one string of words, packed hashes.
    """

    id: MemoryId
    category: Category
    title: str
    text: str
    facts: tuple[str, ...]
    acronyms: tuple[str, ...]
    packed: bytes

    @property
    def text_digest(self) -> int:
        """A hash of the text; stable within one process only."""
        return hash(self.text)

    @property
    def hashes(self) -> Sequence[int]:
        """The smallest hashes of its words and pairs, in order."""
        return array("I", self.packed)


@dataclass(frozen=True, slots=True)
class Likeness:
    """An existing memory that a new one resembles. `similarity` is 1.0 for the same text."""

    id: MemoryId
    similarity: float
    exact: bool


def plain_title(title: str) -> str:
    """The words of a title, by which titles are compared."""
    return " ".join(word.lower() for word in _WORD.findall(title))


def sketch(memory: Memory) -> Sketch:
    """Reduce a memory to the parts that are compared."""
    title = _WORD.findall(memory.title)
    plain = [*title, *_WORD.findall(body(memory))]
    text = [word.lower() for word in plain]
    stems = [stem(word) for word in text if word not in _EMPTY_WORDS]
    pairs = [f"{first} {second}" for first, second in pairwise(stems)]
    hashes = sorted({zlib.crc32(gram.encode("utf-8", "replace")) for gram in [*stems, *pairs]})
    return Sketch(
        memory.id,
        memory.category,
        " ".join(text[: len(title)]),
        " ".join(text),
        tuple(sorted({word.lower() for word in plain if _CODE.search(word)})),
        tuple(sorted({word.lower() for word in plain if _ACRONYM.fullmatch(word)})),
        array("I", hashes[:SKETCH_SIZE]).tobytes(),
    )


def find_duplicate(new: Sketch, known: Iterable[Sketch]) -> Likeness | None:
    """The memory with the same text, else the most similar near-duplicate or same title; else None."""
    closest: Likeness | None = None
    for other in known:
        if other.category is not new.category:
            continue
        if other.text == new.text and new.text:
            return Likeness(other.id, 1.0, exact=True)
        similarity = _likeness(new, other)
        if similarity is not None and (
            closest is None or (similarity, closest.id) > (closest.similarity, other.id)
        ):
            closest = Likeness(other.id, similarity, exact=False)
    return closest


def _likeness(new: Sketch, other: Sketch) -> float | None:
    """The similarity of two memories if they may be duplicates, else None."""
    unique_titles = new.category is not Category.SESSION_SUMMARY  # sessions may share a title
    same_title = unique_titles and bool(new.title) and new.title == other.title
    if not same_title and not _same_facts(new, other):
        return None
    similarity = round(jaccard(new, other), 3)
    near = similarity >= NEAR and not _another_subject(new, other)
    return similarity if same_title or near else None


def _same_facts(new: Sketch, other: Sketch) -> bool:
    """Whether neither has a number, an identifier or an acronym (in any case) that the other lacks."""
    if new.facts != other.facts:
        return False
    return _contains(new, other.acronyms) and _contains(other, new.acronyms)


def _contains(sketch: Sketch, words: Sequence[str]) -> bool:
    return not words or set(words).issubset(sketch.text.split())


def _another_subject(new: Sketch, other: Sketch) -> bool:
    """Whether the two differ only in a number, or in one word of the title that is replaced throughout."""
    left, right = new.text.split(), other.text.split()
    if len(left) != len(right):
        return False
    places = [index for index, word in enumerate(left) if word != right[index]]
    swaps = {(left[index], right[index]) for index in places}
    if any(_DIGIT.search(before + after) for before, after in swaps):
        return True
    titles = (len(sketch.title.split()) for sketch in (new, other))
    return len(swaps) == 1 and places[0] < min(titles)


def jaccard(first: Sketch, second: Sketch) -> float:
    """Estimate the share of grams that two memories have in common."""
    left, right = set(first.hashes), set(second.hashes)
    smallest = sorted(left | right)[:SKETCH_SIZE]
    if not smallest:
        return 0.0
    return sum(gram in left and gram in right for gram in smallest) / len(smallest)
