"""What capabilities look like as JSON."""

from typing import Any, TypedDict

from recollect.learning.capabilities import Capability


class CapabilityRow(TypedDict):
    """Code that worked. `success` is smoothed: one lucky run says little."""

    name: str
    intent: str
    parameters: dict[str, Any]
    tools: list[str]
    runs: int
    successes: int
    success: float


class CapabilitiesOutput(TypedDict):
    """`capability list`: the most reliable first."""

    capabilities: list[CapabilityRow]


class CapabilityOutput(TypedDict):
    """`capability show`: one capability with its code."""

    capability: CapabilityRow
    code: str


class CapabilityForgotten(TypedDict):
    """`capability forget`: its name."""

    forgotten: str


def capability_row(capability: Capability) -> CapabilityRow:
    """A capability without its code."""
    return {
        "name": capability.name,
        "intent": capability.intent,
        "parameters": dict(capability.parameters),
        "tools": list(capability.tools),
        "runs": capability.runs,
        "successes": capability.successes,
        "success": round(capability.success, 3),
    }
