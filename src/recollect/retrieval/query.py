"""A query: the terms of any text, few enough to search for.

A short text is kept whole. A long one (a pasted issue, a stack trace) as one big OR finds everything and
nothing: it keeps its heaviest terms. A term weighs by how rare it is in the index, by how often it is
said (less in code than in prose), double when it is in the first line, and half as much again when it is
an identifier or a file name.
"""

from __future__ import annotations

from math import log, sqrt

from recollect.text.stemming import stems
from recollect.text.stop_words import STOP_WORDS
from recollect.text.tokens import words
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    Frequencies: TypeAlias = Callable[[Sequence[str]], Mapping[str, int]]  # documents that have a stem

KEPT_WHOLE = 64  # different words of a query that is searched for as it is
MOST_TERMS = 32  # that are kept of a longer one; 15 cost a point where requests run to a paragraph
MOST_TEXT = 20_000  # characters that are read of a query, so that any text is a quick one
_FIRST_LINE, _COMPOUND, _IN_CODE = 2.0, 1.5, 0.5
_CODE_STARTS = ("    ", "\t", ">>>", "$ ", "E ")


class Term(Frozen):
    """One term: its stem, how often it counts, how much it tells, and how many documents have it."""

    stem: str
    times: int
    idf: float
    documents: int

    @property
    def known(self) -> bool:
        return self.documents > 0


class Query(Frozen):
    """What is searched for. `said` is how many different words the text had before it was reduced.

    `pairs` are stems of known terms that stand next to each other in the text.
    """

    text: str
    terms: tuple[Term, ...]
    said: int
    pairs: tuple[tuple[str, str], ...] = ()


def idf(documents: int, frequency: int) -> float:
    """How much a term tells: BM25's, which is never negative."""
    return log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def parse(text: str, frequencies: Frequencies, documents: int) -> Query:
    """Make a query of any text."""
    text = text[:MOST_TEXT]
    said = _counted(text)
    known = frequencies(list(said.counts))
    if len(said.counts) <= KEPT_WHOLE:
        kept = dict.fromkeys(said.counts, 1)
    else:
        kept = _heaviest(text, said, {stem: idf(documents, df) for stem, df in known.items()})
    terms = {
        stem: Term(stem, times, idf(documents, known.get(stem, 0)), known.get(stem, 0))
        for stem, times in kept.items()
    }
    pairs = [pair for pair in said.pairs if all(stem in terms and terms[stem].known for stem in pair)]
    return Query(text, tuple(terms.values()), len(said.counts), tuple(pairs))


class _Said(Frozen):
    counts: Mapping[str, int]
    compounds: frozenset[str]
    pairs: tuple[tuple[str, str], ...]


def _counted(text: str) -> _Said:
    tokens: list[str] = []
    wholes: list[int] = []  # places of compounds written together
    seconds: list[int] = []  # places of what follows another token at once
    apart = True
    for word in words(text):
        for position, token in enumerate(word):
            if token in STOP_WORDS or (len(token) == 1 and token.isascii()):
                apart = True
                continue
            if not apart:
                seconds.append(len(tokens))
            apart = position == 0 and len(word) > 1  # a compound and its first part are no two words
            if apart:
                wholes.append(len(tokens))
            tokens.append(token)
    found = stems(tokens)
    counts: dict[str, int] = {}
    for stem in found:
        counts[stem] = counts.get(stem, 0) + 1
    pairs = dict.fromkeys((found[at - 1], found[at]) for at in seconds if found[at - 1] != found[at])
    return _Said(counts, frozenset(found[at] for at in wholes), tuple(pairs))


def _heaviest(text: str, said: _Said, weights: Mapping[str, float]) -> dict[str, int]:
    """The terms that carry a long text, as they come in it, and how often each counts.

    Twice when the first line says it.
    """
    prose, code = _split_code(text)
    in_prose, in_code = _counted(prose).counts, _counted(code).counts
    first_line = next((line for line in text.splitlines() if line.strip()), "")
    first = _counted(first_line).counts

    def heft(stem: str) -> float:
        times = sqrt(in_prose.get(stem, 0) + _IN_CODE * in_code.get(stem, 0))
        place = _FIRST_LINE if stem in first else 1.0
        return weights[stem] * times * place * (_COMPOUND if stem in said.compounds else 1.0)

    best = set(sorted(weights, key=lambda stem: (-heft(stem), stem))[:MOST_TERMS])
    return {stem: 2 if stem in first else 1 for stem in said.counts if stem in best}


def opening(text: str, most: int) -> str:
    """The start of a text, at most so long; of a longer one the start of its prose, if it has any."""
    if len(text) <= most:
        return text
    return (_split_code(text)[0].strip() or text)[:most]


def _split_code(text: str) -> tuple[str, str]:
    """Prose and code: what is fenced, indented or typed at a prompt is code."""
    prose: list[str] = []
    code: list[str] = []
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        else:
            (code if fenced or line.startswith(_CODE_STARTS) else prose).append(line)
    return "\n".join(prose), "\n".join(code)
