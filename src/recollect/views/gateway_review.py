"""Tools for a person to review, as JSON."""

from typing import TypedDict

from recollect.gateway.pins import ScreenedTool


class FlagRow(TypedDict):
    """Something in a text of a server: where it stands, why it was flagged, and how it begins."""

    where: str
    reason: str
    excerpt: str


class ReviewRow(TypedDict):
    """A tool: `state` is pinned, changed or rejected; what changed, and what is suspicious."""

    id: str
    state: str
    changes: list[str]
    flags: list[FlagRow]
    shadows: list[str]


class GatewayReviewOutput(TypedDict):
    """`recollect gateway review`: tools that changed, are flagged or shadow others, and what was decided."""

    tools: list[ReviewRow]
    accepted: list[str]
    rejected: list[str]


def review_row(tool: ScreenedTool) -> ReviewRow:
    """One tool of a review."""
    return {
        "id": tool.id,
        "state": tool.state,
        "changes": tool.differences,
        "flags": [
            {"where": flag.where, "reason": flag.reason, "excerpt": flag.excerpt} for flag in tool.flags
        ],
        "shadows": list(tool.shadows),
    }
