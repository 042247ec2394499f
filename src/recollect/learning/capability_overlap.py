"""Which capabilities do what a session just did call by call? `overlap x reliability`. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from recollect.learning.capabilities import Capability
from recollect.learning.weights import OVERLAP_TOOLS


@dataclass(frozen=True, slots=True)
class OverlapHit:
    """A capability with the share of its tools that a session called."""

    capability: Capability
    overlap: float

    @property
    def score(self) -> float:
        return self.overlap * self.capability.reliability


def overlapping_capabilities(
    tools: Collection[str], capabilities: Sequence[Capability]
) -> list[OverlapHit]:
    """The capabilities that use these tools, best first; of equal ones the one that succeeded more often.

    One tool in common says nothing: code of one tool, and code of which one tool was called, are left out.
    """
    hits = []
    for each in capabilities:
        called = sum(tool in tools for tool in each.tools)
        if called >= OVERLAP_TOOLS:
            hits.append(OverlapHit(each, called / len(each.tools)))
    return sorted(hits, key=lambda hit: (-hit.score, -hit.capability.success, hit.capability.name))
