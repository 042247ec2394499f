"""Pins: the version of each tool that a person accepted, and what to do when a server shows another one.

A tool is pinned at first use, which is when a server that the user added lists it for the first time. A pin
stays when the tool disappears, so that a tool which comes back with another text is a changed tool, not a new
one. While the listed version differs from the pin, models see the pinned one and calls are refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from recollect.gateway.entry import digest_of
from recollect.gateway.neutral_tool import TextFlag, neutral_tool
from recollect.gateway.shadowing import shadows
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.tool_diff import differences

PinState = Literal["pinned", "changed", "rejected"]


@dataclass(frozen=True, slots=True)
class Pin:
    """The accepted version of a tool. `accepted_by` is empty when it was pinned at first use.

    `rejected` is the digest of a later version that a person refused, if any.
    """

    tool: UpstreamTool
    accepted_at: str
    accepted_by: str = ""
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class ScreenedTool:
    """A listed tool beside its pin. `tool` is what a model may see of the accepted version."""

    tool: UpstreamTool
    accepted: UpstreamTool
    listed: UpstreamTool
    state: PinState
    flags: tuple[TextFlag, ...]
    shadows: tuple[str, ...]

    @property
    def id(self) -> str:
        return self.accepted.id

    @property
    def differences(self) -> list[str]:
        """What the listed version changes, in words. Empty while it is the accepted one."""
        return differences(self.accepted, self.listed) if self.state != "pinned" else []

    @property
    def quarantine(self) -> str:
        """Why calls are refused, and what to do; empty when they are not."""
        return refusal(self.accepted, self.state)


def refusal(tool: UpstreamTool, state: PinState) -> str:
    """Why a tool in this state is not called, and what to do; empty when it is."""
    if state == "pinned":
        return ""
    decision = "refused the change" if state == "rejected" else "has not accepted the change"
    return (
        f"the server {tool.server!r} changed its tool {tool.name!r}, and the user {decision}; it "
        f"is blocked until a person accepts it with `recollect gateway review {tool.id}`."
    )


def screen(listed: Sequence[UpstreamTool], pins: Mapping[str, Pin]) -> list[ScreenedTool]:
    """Every listed tool beside its pin. A tool without a pin is screened as if it were just pinned."""
    claims = shadows(listed)
    screened = []
    for tool in listed:
        pin = pins.get(tool.id) or Pin(tool, "")
        neutral = neutral_tool(pin.tool)
        state = pin_state(pin, tool)
        flags = neutral.flags if state == "pinned" else neutral_tool(tool).flags
        screened.append(
            ScreenedTool(neutral.tool, pin.tool, tool, state, flags, tuple(claims.get(tool.id, ())))
        )
    return screened


def pin_state(pin: Pin, listed: UpstreamTool) -> PinState:
    """Whether the listed version is the accepted one, one that waits for review, or one that was refused."""
    current = digest_of(listed)
    if current == digest_of(pin.tool):
        return "pinned"
    return "rejected" if current == pin.rejected else "changed"
