"""Boosts: what the session pays attention to may lift a hit, and only so far.

`final = score x (1 + min(sum of boosts, 0.20))`: applied after fusion and before the cutoff, capped so that
no boost can carry a hit that does not match. Without attention the ranking is the baseline, bit for bit.

A boost is one function in `BOOSTS`, from a document's id and the session's attention to an amount.
"""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from recollect.ids import UnifiedId

SESSION = 0.15  # times the attention of the document in this session
CAUSAL = 0.05  # divided by the links between the document and one in attention
MOST_HOPS = 2
CAP = 0.20


class Attention(Frozen):
    """How much each document matters to a session, 0..1, and how many links away from those others are.

    An absent id is not in attention, or not linked to anything that is.
    """

    levels: Mapping[UnifiedId, float]
    hops: Mapping[UnifiedId, int]


class Boost(Frozen):
    """What a document gets: the name and amount of each boost, and their capped sum."""

    parts: tuple[tuple[str, float], ...]

    @property
    def total(self) -> float:
        return min(sum([amount for _, amount in self.parts]), CAP)


def _session(id: UnifiedId, attention: Attention) -> float:
    return SESSION * min(max(attention.levels.get(id, 0.0), 0.0), 1.0)


def _causal(id: UnifiedId, attention: Attention) -> float:
    hops = attention.hops.get(id, 0)
    return CAUSAL / hops if 1 <= hops <= MOST_HOPS else 0.0


BOOSTS: Mapping[str, Callable[[UnifiedId, Attention], float]] = {"session": _session, "causal": _causal}
NONE = Boost(tuple((name, 0.0) for name in BOOSTS))


def boost(id: UnifiedId, attention: Attention) -> Boost:
    """The boost of one document."""
    return Boost(tuple([(name, amount(id, attention)) for name, amount in BOOSTS.items()]))
