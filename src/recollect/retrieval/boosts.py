"""Boosts: what the session pays attention to may move a hit, and only so far.

`final = score x (1 + min(session + causal, 0.20))`: applied after fusion, before the cut, capped so that
no boost can carry what does not match. Off means the baseline, byte for byte.
"""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from recollect.ids import UnifiedId
else:
    Protocol = object

SESSION = 0.15  # times the attention of the item in this session
CAUSAL = 0.05  # divided by the hops from an item in attention
MOST_HOPS = 2
CAP = 0.20


class Boost(Frozen):
    """What a document gets: its two parts and, capped, their sum."""

    session: float = 0.0
    causal: float = 0.0

    @property
    def total(self) -> float:
        return min(self.session + self.causal, CAP)


NONE = Boost()


class Attention(Protocol):
    """What a session pays attention to. Absent ids are not in attention, or not connected to it."""

    def attention(self) -> Mapping[UnifiedId, float]:
        """How much each document matters now, 0..1."""

    def hops(self) -> Mapping[UnifiedId, int]:
        """How many links each document is from one in attention."""


def boost(id: UnifiedId, attention: Attention) -> Boost:
    """The boost of one document."""
    session = SESSION * min(max(attention.attention().get(id, 0.0), 0.0), 1.0)
    hops = attention.hops().get(id, 0)
    return Boost(session, CAUSAL / hops if 1 <= hops <= MOST_HOPS else 0.0)
