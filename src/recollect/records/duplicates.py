"""Have we got this already? A sketch per memory, compared by Jaccard similarity.

A sketch is bottom-k MinHash over words and pairs of words: the 128 smallest hashes of the set, from
which the similarity of two sets is estimated; sets smaller than that are compared exactly. Two texts
that differ in a number or an identifier are never near-duplicates: "port 5432" and "port 5433" are two
facts, however alike the sentences.
"""

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from recollect.ids import MemoryId
from recollect.records.body import body
from recollect.records.categories import Category
from recollect.records.record import Memory

SKETCH_SIZE = 128
NEAR = 0.6  # of words and pairs shared: a reworded sentence or two, not a related subject
_WORD = re.compile(r"\w+(?:[._\-/:]+\w+)*")
_CODE = re.compile(r"[\d._/:]|[a-z][A-Z]|^[A-Z]{2,}$")
_EMPTY_WORDS = frozenset(
    """a an and are as at be by for from had has have in into is it its of on or our so that the their
    then there these this to was we were will with you your""".split()  # noqa: SIM905 - reads better
)


@dataclass(frozen=True, slots=True)
class Sketch:
    """What is compared of a memory."""

    id: MemoryId
    category: Category
    title: str
    text_digest: int
    facts: frozenset[str]
    hashes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Likeness:
    """An existing memory that a new one resembles. `similarity` is 1.0 for the same text."""

    id: MemoryId
    similarity: float
    exact: bool


def sketch(memory: Memory) -> Sketch:
    """Reduce a memory to what is compared."""
    text = f"{memory.title}\n{body(memory)}"
    words = _words(text)
    pairs = [f"{one} {two}" for one, two in pairwise(words)]
    hashes = sorted({zlib.crc32(gram.encode("utf-8", "replace")) for gram in [*words, *pairs]})
    return Sketch(
        memory.id,
        memory.category,
        " ".join(_words(memory.title)),
        hash((memory.category, " ".join(words))),
        frozenset(word.lower() for word in _WORD.findall(text) if _CODE.search(word)),
        tuple(hashes[:SKETCH_SIZE]),
    )


def _words(text: str) -> list[str]:
    lowered = (word.lower() for word in _WORD.findall(text))
    return [_stem(word) for word in lowered if word not in _EMPTY_WORDS]


def _stem(word: str) -> str:
    """Take the commonest English endings off, so that `chose cookies` and `cookie` meet."""
    for ending in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def likest(new: Sketch, known: Iterable[Sketch]) -> Likeness | None:
    """The memory that `new` repeats: exactly, or nearly, or under the same title; else None."""
    found: Likeness | None = None
    for other in known:
        if other.category is not new.category:
            continue
        if other.text_digest == new.text_digest:
            return Likeness(other.id, 1.0, exact=True)
        similarity = jaccard(new, other)
        near = similarity >= NEAR and new.facts == other.facts
        if (near or new.title == other.title) and (
            found is None or (similarity, found.id) > (found.similarity, other.id)
        ):
            found = Likeness(other.id, round(similarity, 3), exact=False)
    return found


def jaccard(one: Sketch, other: Sketch) -> float:
    """Estimate the share of grams that two memories have in common."""
    left, right = set(one.hashes), set(other.hashes)
    smallest = sorted(left | right)[:SKETCH_SIZE]
    if not smallest:
        return 0.0
    return sum(gram in left and gram in right for gram in smallest) / len(smallest)
