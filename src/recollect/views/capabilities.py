"""What capabilities look like as JSON."""

from collections.abc import Mapping
from typing import Any, TypedDict

from recollect.gateway.tool import UpstreamTool
from recollect.learning.capabilities import Capability, stale_tools


class CapabilityRow(TypedDict):
    """Code that worked. `success` is smoothed: one lucky run says little.

    `stale` has its tools whose schemas changed since it last worked, or which are gone.
    """

    name: str
    intent: str
    parameters: dict[str, Any]
    tools: list[str]
    runs: int
    successes: int
    success: float
    stale: list[str]


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


class CapabilityRenamed(TypedDict):
    """`capability rename`: both names."""

    renamed: str
    name: str


class CapabilityExported(TypedDict):
    """`capability export`: the name, the file that was written, null for standard output, and its text."""

    name: str
    file: str | None
    text: str


class CapabilityImported(TypedDict):
    """`capability import`: its name here; `new` is false when the same code was there already."""

    name: str
    new: bool


def capability_row(capability: Capability, tools: Mapping[str, UpstreamTool]) -> CapabilityRow:
    """A capability without its code."""
    return {
        "name": capability.name,
        "intent": capability.intent,
        "parameters": dict(capability.parameters),
        "tools": list(capability.tools),
        "runs": capability.runs,
        "successes": capability.successes,
        "success": round(capability.success, 3),
        "stale": list(stale_tools(capability, tools)),
    }
