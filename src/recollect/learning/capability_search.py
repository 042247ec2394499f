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


def as_tool(capability: Capability) -> UpstreamTool:
    """A capability as search reads it: its name, what it is for, and its parameters."""
    properties: dict[str, object] = {name: {} for name in capability.parameters}
    return UpstreamTool("", capability.name, capability.intent, {"properties": properties})


def fitting_capabilities(
    text: str,
    capabilities: Sequence[Capability],
    rarity: TermIndex,
    cosines: Mapping[str, float | None],
) -> list[CapabilityHit]:
    """The capabilities that fit a request, best first; of equal ones the one that succeeded more often.

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
    fitting = [hit for hit in hits if hit.score >= CAPABILITY_FITS]
    fitting.sort(key=lambda hit: (-hit.score, -hit.capability.success, hit.capability.name))
    return fitting[:MOST_SUGGESTED]
