"""Reranking: a cross-encoder reads the query and each of the best hits together, and corrects their order.

It sees what the channels cannot, how a sentence answers another, and nothing of what they know: files, links,
the session, age. So its opinion is blended with the score in equal parts instead of replacing it. A score
moves only within the range of the hits that were read: none of them falls behind those that were not, and
none is raised above the best. The order is the same for the same scores; ties keep priority and id.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from recollect.errors import ModelError
from recollect.retrieval.fusion import RERANKED
from recollect.retrieval.index import Document, Index, Key
from recollect.retrieval.query import Query, opening
from recollect.retrieval.search import MOST_READ, Candidate
from recollect.retrieval.vectors import head
from recollect.values import replaced

WEIGHT = 0.5  # of the reranker against everything else; unproved, `bench retrieval` measures it
TEXT = 300  # characters of a hit that are read: its title and what it begins with

Reordering: TypeAlias = tuple[list[Candidate], str]  # candidates, and why they are in the order before


class Reranker(Protocol):
    """Says how well each text answers a query, by reading both together.

    It is no channel, because it finds nothing; no embedder, because nothing that it says about a text holds
    for another query; and no gate, because its numbers can be compared within one answer only.
    """

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """A finite number for each text, higher is better.

        Raises ModelBusyError when they are not there in time, and ModelError when the model fails.
        """
        ...


@dataclass(frozen=True, slots=True)
class Reranked:
    """What a reranker did to one score: its number, scaled to 0..1 over the hits that were read.

    `low` and `high` are the scores of the last and the first of these before.
    """

    raw: float
    scaled: float
    low: float
    high: float
    weight: float = WEIGHT

    def blended(self, score: float) -> float:
        """`(1 - weight) x score + weight x (low + scaled x (high - low))`."""
        return blended(score, self.scaled, self.low, self.high, self.weight)

    def as_json(self) -> Mapping[str, float]:
        """All numbers as JSON."""
        return {
            "raw": self.raw,
            "scaled": self.scaled,
            "low": self.low,
            "high": self.high,
            "weight": self.weight,
        }


def blended(score: float, scaled: float, low: float, high: float, weight: float) -> float:
    """A score after reranking; between `low` and `high`, as it was before."""
    opinion = low + scaled * (high - low)
    return min(max((1 - weight) * score + weight * opinion, low), high)


def rerank(query: Query, candidates: list[Candidate], index: Index, reranker: Reranker) -> Reordering:
    """Let the reranker read the best candidates and reorder them. When it fails, the order stays as it is.

    A text in several parts is left alone: its hits answer different parts, and it would be compared with all.
    """
    best = candidates[:RERANKED]
    if len(best) < 2 or query.parts or not query.text.strip():
        return candidates, ""
    documents = index.documents([hit.key for hit in best if hit.skill is None])
    texts = [_text(hit, documents) for hit in best]
    try:
        raws = reranker.scores(opening(query.text, MOST_READ), texts)
    except ModelError as error:
        return candidates, f"hits are not reranked: {error}"
    return reordered(candidates, raws), ""


def reordered(candidates: list[Candidate], raws: Sequence[float]) -> list[Candidate]:
    """The candidates, the first of them reordered by these numbers, one for each.

    Numbers that are all equal say nothing, and change nothing.
    """
    best, rest = candidates[: len(raws)], candidates[len(raws) :]
    if not best or min(raws) == max(raws):
        return candidates
    low, high = best[-1].score, best[0].score
    hits = []
    for hit, raw, scaled in zip(best, raws, _scaled(raws), strict=True):
        opinion = Reranked(raw, scaled, low, high)
        explanation = replaced(hit.explanation, reranked=opinion)
        hits.append((scaled, replaced(hit, explanation=explanation, score=explanation.score)))
    # Where everything else ties, the reranker decides.
    hits.sort(key=lambda hit: (-hit[1].score, -hit[0], hit[1].fact.priority, hit[1].fact.id))
    return [hit for _, hit in hits] + rest


def _scaled(raws: Sequence[float]) -> list[float]:
    """To 0..1, as cosines are: models differ in the scale of their numbers, and in its zero."""
    low, high = min(raws), max(raws)
    return [(raw - low) / (high - low) for raw in raws]


def _text(hit: Candidate, documents: Mapping[Key, Document]) -> str:
    document = hit.skill or documents[hit.key]
    return head(document.title, document.body)[:TEXT]
