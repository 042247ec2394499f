"""Scorings of searches: the signals and parameters that their scores come from.

`learning.rescoring` computes the same scores from them again.
"""

from collections.abc import Sequence

from recollect.learning.trace import Params, ScoredCandidate, Signals
from recollect.retrieval.boosts import CAP
from recollect.retrieval.fusion import Explanation

WEIGHT = "weight."  # before the name of a channel: its weight in a search
BOOST = "boost."  # before the name of a boost: its amount
RERANKED, LOW, HIGH = "reranked", "reranked.low", "reranked.high"  # a reranker's opinion, and its range
RERANK_WEIGHT = "rerank_weight"


def search_candidates(
    hits: Sequence[tuple[str, Explanation]],
) -> tuple[Params, list[ScoredCandidate]]:
    """The hits of a search: the scaled score of each channel, and what raised or lowered the sum."""
    params: dict[str, float] = {"boost_cap": CAP}
    for _, why in hits:
        for part in why.fused.parts:
            params[WEIGHT + part.channel] = part.weight
        if why.reranked is not None:
            params[RERANK_WEIGHT] = why.reranked.weight
    return params, [ScoredCandidate(id, _search_signals(why), why.score) for id, why in hits]


def _search_signals(why: Explanation) -> Signals:
    """What a score comes from. What is 0 and changes nothing is left out."""
    signals = {part.channel: part.scaled for part in why.fused.parts}
    signals["scale"] = why.fused.scale
    others = (("bonus", why.fused.bonus), ("faded", why.faded), ("authority", why.authority))
    boosts = ((BOOST + name, amount) for name, amount in why.boost.parts)
    signals |= {name: value for name, value in (*others, *boosts) if value}
    if (opinion := why.reranked) is not None:
        signals |= {RERANKED: opinion.scaled, LOW: opinion.low, HIGH: opinion.high}
    return signals
