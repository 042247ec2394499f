"""Which capabilities fit a request? `semantic x reliability`, and only above a threshold. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.gateway.confidence import confidence, match_signals
from recollect.gateway.lexical import TermIndex, terms, terms_of
from recollect.gateway.tool import UpstreamTool
from recollect.learning.capabilities import Capability
from recollect.learning.weights import CAPABILITY_FITS

MOST_SUGGESTED = 3


@dataclass(frozen=True, slots=True)
class CapabilityHit:
    """A capability that may fit, with the probability that it does, before its reliability counts."""

    capability: Capability
    semantic: float

    @property
    def score(self) -> float:
        return self.semantic * self.capability.reliability

    @property
    def fits(self) -> bool:
        return self.score >= CAPABILITY_FITS


def as_tool(capability: Capability) -> UpstreamTool:
    """A capability as search reads it: its name, what it is for, and its parameters."""
    properties: dict[str, object] = {name: {} for name in capability.parameters}
    return UpstreamTool("", capability.name, capability.intent, {"properties": properties})


def scored_capabilities(
    text: str,
    capabilities: Sequence[Capability],
    rarity: TermIndex,
    cosines: Mapping[str, float | None],
) -> list[CapabilityHit]:
    """Capabilities by how well they fit a request, best first; of equal ones what succeeded more often.

    `rarity` says how rare a word is, `cosines` how near a capability is in meaning, by name.
    """
    query = terms(text)
    hits = [
        CapabilityHit(
            each,
            confidence(match_signals(query, terms_of(as_tool(each)), rarity, cosines.get(each.name))),
        )
        for each in capabilities
    ]
    return sorted(hits, key=lambda hit: (-hit.score, -hit.capability.success, hit.capability.name))


def fitting(hits: Sequence[CapabilityHit]) -> list[CapabilityHit]:
    """Those of scored capabilities that are shown."""
    return [hit for hit in hits if hit.fits][:MOST_SUGGESTED]
