"""Search tools by words: BM25 over weighted fields, and over pieces of words for names written together."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from recollect.gateway import weights
from recollect.gateway.tool import UpstreamTool, parameters
from recollect.retrieval.query import idf as rarity_of
from recollect.text.stemming import stem
from recollect.text.tokens import STOP_WORDS, tokens

_PIECE = 4  # letters
_WEIGHTS: Mapping[str, float] = {
    "name": weights.NAME,
    "server": weights.SERVER,
    "description": weights.DESCRIPTION,
    "parameter": weights.PARAMETER,
    "parameter_text": weights.PARAMETER_TEXT,
}

Terms = Mapping[str, Sequence[str]]  # stems by field


def terms(text: str) -> list[str]:
    """The stems of a text without stop words and single letters."""
    return [
        stem(token)
        for token in tokens(text)
        if token not in STOP_WORDS and not (len(token) == 1 and token.isascii())
    ]


def terms_of(tool: UpstreamTool) -> Terms:
    """The stems of a tool by field."""
    details = list(parameters(tool.input_schema))
    return {
        "name": terms(tool.name),
        "server": terms(tool.server),
        "description": terms(tool.about),
        "parameter": [term for parameter in details for term in terms(parameter.name)],
        "parameter_text": [term for parameter in details for term in terms(parameter.about)],
    }


def pieces(words: Iterable[str]) -> list[str]:
    """Each word as overlapping pieces of four letters: `airquality` shares pieces with `quality`."""
    return [
        word[start : start + _PIECE]
        for word in words
        for start in range(max(1, len(word) - _PIECE + 1))
    ]


@dataclass(frozen=True, slots=True)
class TermIndex:
    """The weight of every term in every document that has it, and the rarity of the term."""

    size: int
    postings: Mapping[str, Sequence[tuple[int, float]]]
    idf: Mapping[str, float]

    def scores(self, query: Sequence[str]) -> dict[int, float]:
        """The BM25 score of the documents that have a term of the query. A repeated term counts more."""
        scores = [0.0] * self.size
        for term, times in Counter(query).items():
            factor = sqrt(times)
            for document, weight in self.postings.get(term, ()):
                scores[document] += factor * weight
        return {document: score for document, score in enumerate(scores) if score}

    def rarity(self, term: str) -> float:
        """The idf of a term; that of the rarest for a term which no document has."""
        return self.idf.get(term, rarity_of(self.size, 0))


def term_index(documents: Sequence[Terms]) -> TermIndex:
    """Index documents by their terms."""
    averages = {
        field: max(sum(len(document[field]) for document in documents) / max(len(documents), 1), 1e-9)
        for field in _WEIGHTS
    }
    frequencies: dict[str, dict[int, float]] = {}
    for number, document in enumerate(documents):
        for field, field_weight in _WEIGHTS.items():
            length = 1 - weights.LENGTH + weights.LENGTH * len(document[field]) / averages[field]
            for term, count in Counter(document[field]).items():
                having = frequencies.setdefault(term, {})
                having[number] = having.get(number, 0.0) + field_weight * count / length
    idf = {term: rarity_of(len(documents), len(having)) for term, having in frequencies.items()}
    k1 = weights.SATURATION
    postings = {
        term: [
            (number, idf[term] * frequency * (k1 + 1) / (k1 + frequency))
            for number, frequency in having.items()
        ]
        for term, having in frequencies.items()
    }
    return TermIndex(len(documents), postings, idf)
