"""The terms that the text index is asked for: those of a query, and other forms of unknown words."""

from __future__ import annotations

from recollect.retrieval.gate import everyday
from recollect.retrieval.query import Term
from recollect.text.tokens import is_unspaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.retrieval.index import Index
    from recollect.retrieval.query import Query

SHORTEST_START = 3  # characters of an unknown word that is expanded by prefix; one more past ASCII
MOST_GUESSED = 16  # terms of a query that is expanded by ideographs and endings; more need it less
LONGER_WORDS = 5  # known words that replace an unknown one


def search_terms(parsed: Query, index: Index, most_ranked: int | None = None) -> list[tuple[str, int]]:
    """The stems to search for; an unknown term is replaced by known words that begin with it.

    A single ideograph is always expanded, because the index has ideographs in pairs. If the terms occur in
    more than `most_ranked` documents together, the commonest are dropped; at least one stays.
    """
    known = [term for term in parsed.terms if term.known]
    expanded = {word: term.times for term in parsed.terms for word in _expanded(term, parsed, index)}
    counts = index.frequencies(list(expanded)) if expanded else {}
    stems = {term.stem for term in known}
    more = [
        Term(word, times, 0.0, counts[word]) for word, times in expanded.items() if word not in stems
    ]
    return [(term.stem, term.times) for term in _affordable([*known, *more], most_ranked)]


def _expanded(term: Term, parsed: Query, index: Index) -> Sequence[str]:
    """The known words to search for in place of a term, or in addition to it."""
    stem, short_query = term.stem, len(parsed.terms) <= MOST_GUESSED
    if len(stem) == 1 and is_unspaced(stem):
        return index.longer(stem, LONGER_WORDS) if short_query else ()  # scans all words, so it is slow
    if term.known or len(stem) < SHORTEST_START + (not stem.isascii()):
        return ()
    longer = index.longer(stem, LONGER_WORDS)
    if longer and any(other.known for other in parsed.terms):
        common = everyday([stem, *longer])  # complete words, and no subject: `stopped` is not `stopgap`
        return () if stem in common else [word for word in longer if word not in common]
    return longer or (_other_forms(stem, index) if short_query and not stem.isascii() else ())


def _other_forms(stem: str, index: Index) -> Sequence[str]:
    """Known words that may be forms of this one, because stemming is uncertain beyond ASCII."""
    from recollect.text.endings import beginnings

    forms = (index.longer(start, LONGER_WORDS) for start in beginnings(stem))
    return next(filter(None, forms), ())


def _affordable(terms: Sequence[Term], most: int | None) -> Sequence[Term]:
    if most is None or sum(term.documents for term in terms) <= most:
        return terms
    remaining = most
    rarest: set[str] = set()
    for term in sorted(terms, key=lambda term: (term.documents, term.stem)):
        remaining -= term.documents
        if remaining < 0 and rarest:
            break
        rarest.add(term.stem)
    return [term for term in terms if term.stem in rarest]
