"""The explanation of a hit's score: every number that the score is computed from."""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.retrieval.boosts import Boost
    from recollect.retrieval.fusion import Fused


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
