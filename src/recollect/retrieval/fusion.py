"""Fusion: several rankings in, one out. Pure; the clock and the disk live elsewhere.

There are two methods. By score (the default): each channel is scaled to 0..1 over its own best hits, then
a weighted mean is taken; this preserves how much better the first hit is than the second. By rank
(reciprocal rank fusion, with a bonus for hits of more than one channel): needs no comparable scores.

The result is cut: `page` returns a page of a search, `auto` the few hits close to the best that a prompt hook
injects. There is no absolute threshold, because scores are not comparable across queries; the gate decides
whether to inject anything.
"""

from __future__ import annotations

from math import log

from recollect.values import Frozen, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol, TypeAlias, TypeVar

    from recollect.retrieval.boosts import Boost
    from recollect.retrieval.index import Key
    from recollect.retrieval.reranking import Reranked

    Ranking: TypeAlias = Sequence[tuple[Key, float]]  # best first

    class Scored(Protocol):
        """Anything with a score."""

        @property
        def score(self) -> float: ...

    _Hit = TypeVar("_Hit", bound=Scored)
    _Key = TypeVar("_Key")

RRF_K = 60  # Cormack et al. 2009: softens the first ranks of an outlier channel
CONVERGENCE = 0.10  # bonus of a hit of more than one channel, in rank fusion
AUTO_MOST = 3
AUTO_SHARE = 0.50  # of the best score
SEARCH_LIMIT = 10
RERANKED = 6  # hits that a reranker reads: about 15 ms of a small one on two quiet cores
DEPTH = 100  # hits of a channel that count
_ROUNDING = 2**-50  # more than the error of the few operations that compute a score


class ChannelScore(Frozen):
    """A document in one channel: its rank, raw score, scaled score, and the channel's weight."""

    channel: str
    rank: int
    raw: float
    scaled: float
    weight: float

    @property
    def share(self) -> float:
        return self.scaled * self.weight


class Fused(Frozen):
    """The channel scores of a document, its bonus, and the scale of the sum."""

    parts: tuple[ChannelScore, ...]
    bonus: float
    scale: float

    @property
    def score(self) -> float:
        """The sum of the shares with the bonus, divided by the scale: 0..1.1 before the last scaling."""
        return sum([part.share for part in self.parts]) * (1 + self.bonus) / self.scale


class Explanation(Frozen):
    """The signals behind one score. `score` computes it from them; nothing else enters it."""

    fused: Fused
    boost: Boost
    authority: float = 0.0
    faded: float = 0.0
    reranked: Reranked | None = None  # None unless a reranker read this hit

    @property
    def score(self) -> float:
        """`fused x (1 - faded) x (1 + boost) x (1 + authority)`, blended with what a reranker says."""
        faded = self.fused.score * (1 - self.faded)
        score = faded * (1 + self.boost.total) * (1 + self.authority)
        return score if self.reranked is None else self.reranked.blended(score)

    def as_json(self) -> dict[str, Any]:
        """All numbers as JSON."""
        reranked = {} if self.reranked is None else {"reranked": self.reranked.as_json()}
        return {
            "score": self.score,
            "fused": self.fused.score,
            "channels": [
                {
                    "channel": part.channel,
                    "rank": part.rank,
                    "raw": part.raw,
                    "scaled": part.scaled,
                    "weight": part.weight,
                    "share": part.share,
                }
                for part in self.fused.parts
            ],
            "convergence": self.fused.bonus,
            "scale": self.fused.scale,
            "boost": {**dict(self.boost.parts), "total": self.boost.total},
            "authority": self.authority,
            "faded": self.faded,
            **reranked,
        }


def scored(explanations: Mapping[_Key, Explanation]) -> list[tuple[_Key, Explanation, float]]:
    """The explanations of one ranking with their scores, all in 0..1: bonuses may lift the best above.

    Their scale grows so that the best score is 1; the order and the ratios of the scores stay.
    """
    scores = [hit.score for hit in explanations.values()]
    top = max(scores, default=0.0)
    if top > 1:
        scale = top * (1 + _ROUNDING)
        explanations = {
            key: replaced(hit, fused=replaced(hit.fused, scale=hit.fused.scale * scale))
            for key, hit in explanations.items()
        }
        scores = [hit.score for hit in explanations.values()]
    return [(*hit, score) for hit, score in zip(explanations.items(), scores, strict=True)]


if TYPE_CHECKING:
    Fusion: TypeAlias = Callable[[Mapping[str, Ranking], Mapping[str, float]], dict[Key, Fused]]


def by_score(channels: Mapping[str, Ranking], weights: Mapping[str, float]) -> dict[Key, Fused]:
    """Merge by scaled score. A channel that found nothing does not count in the mean."""
    parts: dict[Key, list[ChannelScore]] = {}
    for channel, ranking in sorted(channels.items()):
        scaled = _scaled(channel, ranking[:DEPTH])
        for rank, (key, raw) in enumerate(ranking[:DEPTH], start=1):
            part = ChannelScore(channel, rank, raw, scaled[rank - 1], weights[channel])
            parts.setdefault(key, []).append(part)
    scale = sum(weights[channel] for channel, ranking in sorted(channels.items()) if ranking) or 1.0
    return {key: Fused(tuple(scores), 0.0, scale) for key, scores in parts.items()}


def _scaled(channel: str, ranking: Ranking) -> list[float]:
    """Scores scaled to 0..1. Cosines lie close together, so the lowest becomes 0; elsewhere 0 stays 0."""
    if not ranking:
        return []
    top, bottom = ranking[0][1], ranking[-1][1] if channel == "vector" else 0.0
    if top <= bottom:
        return [1.0] * len(ranking)
    return [(score - bottom) / (top - bottom) for _, score in ranking]


def by_rank(channels: Mapping[str, Ranking], weights: Mapping[str, float]) -> dict[Key, Fused]:
    """Merge by reciprocal rank, with the convergence bonus."""
    parts: dict[Key, list[ChannelScore]] = {}
    for channel, ranking in sorted(channels.items()):
        for rank, (key, raw) in enumerate(ranking[:DEPTH], start=1):
            part = ChannelScore(channel, rank, raw, 1 / (RRF_K + rank), weights[channel])
            parts.setdefault(key, []).append(part)
    total = sum(weights[channel] for channel, ranking in sorted(channels.items()) if ranking)
    most = total / (RRF_K + 1) * (1 + CONVERGENCE)
    return {
        key: Fused(tuple(scores), CONVERGENCE if len(scores) > 1 else 0.0, most or 1.0)
        for key, scores in parts.items()
    }


FUSIONS: dict[str, Fusion] = {"score": by_score, "rank": by_rank}


def by_recency(newest_first: Sequence[Key]) -> Ranking:
    """A ranking by age that needs no clock: 1 for the newest, falling with the logarithm of its rank."""
    count = len(newest_first)
    if count < 2:
        return []
    return [(key, 1 - log(1 + rank) / log(1 + count)) for rank, key in enumerate(newest_first)]


def auto(hits: Sequence[_Hit], most: int = AUTO_MOST) -> list[_Hit]:
    """The hits to inject: at most `most`, each at least half as good as the best."""
    if not hits:
        return []
    floor = AUTO_SHARE * hits[0].score
    return [hit for hit in hits[:most] if hit.score >= floor]


def with_judged(chosen: list[_Hit], judged: _Hit, most: int) -> list[_Hit]:
    """The chosen hits and the one that the gate judged, which is given whatever comes before it."""
    return chosen if judged in chosen else [*chosen[: most - 1], judged]


def page(hits: Sequence[_Hit], limit: int = SEARCH_LIMIT, offset: int = 0) -> list[_Hit]:
    """One page of a search."""
    return list(hits[offset : offset + limit])
