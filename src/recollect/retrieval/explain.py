"""The explanation of a hit's score: every number that the score is computed from."""

from __future__ import annotations

from recollect.values import Frozen, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeVar

    from recollect.retrieval.boosts import Boost
    from recollect.retrieval.fusion import Fused

    _Key = TypeVar("_Key")

_ROUNDING = 2**-50  # more than the error of the few operations that compute a score


class Explanation(Frozen):
    """The signals behind one score. `score` computes it from them; nothing else enters it."""

    fused: Fused
    boost: Boost
    authority: float = 0.0
    faded: float = 0.0

    @property
    def score(self) -> float:
        """`fused x (1 - faded) x (1 + boost) x (1 + authority)`."""
        faded = self.fused.score * (1 - self.faded)
        return faded * (1 + self.boost.total) * (1 + self.authority)

    def as_json(self) -> dict[str, Any]:
        """All numbers as JSON."""
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
        }


def scaled_to_one(explanations: Mapping[_Key, Explanation]) -> dict[_Key, Explanation]:
    """The explanations of one ranking with every score in 0..1: bonuses and boosts may lift the best above.

    Their scale grows so that the best score is 1; the order and the ratios of the scores stay.
    """
    top = max((hit.score for hit in explanations.values()), default=0.0)
    if top <= 1:
        return dict(explanations)
    scale = top * (1 + _ROUNDING)
    return {
        key: replaced(hit, fused=replaced(hit.fused, scale=hit.fused.scale * scale))
        for key, hit in explanations.items()
    }
