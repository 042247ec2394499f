"""Tools as the page shows them: what servers offer, changes to decide about, and code that worked."""

import json
from collections.abc import Sequence
from typing import Literal, TypedDict

from recollect.gateway.entry import content_of, digest_of
from recollect.gateway.pins import ScreenedTool
from recollect.gateway.tool import UpstreamTool
from recollect.learning.capabilities import Capability
from recollect.views.gateway_review import ReviewRow, review_row

_SHOWN = 20_000  # characters of a version of a tool
_DESCRIPTION = 2_000


class OfferedTool(TypedDict):
    """A tool as models may see it. `state` is pinned, changed or rejected; the last two are not called.

    `read_only` is what its server says, null if nothing. `capabilities` are those that call it.
    """

    id: str
    server: str
    name: str
    description: str
    read_only: bool | None
    state: str
    capabilities: list[str]


class OfferedToolsOutput(TypedDict):
    """The tools of the servers that are switched on."""

    tools: list[OfferedTool]


class ToolReview(ReviewRow):
    """A tool to look at: both versions as JSON text; a decision names `version`, that of the new one."""

    version: str
    before: str
    after: str


class ToolReviewsOutput(TypedDict):
    """Tools that changed since they were accepted, are flagged, or pass for others."""

    tools: list[ToolReview]


class ToolDecisionOutput(TypedDict):
    """What was decided about a tool."""

    tool: str
    decision: Literal["accept", "reject"]


class StartedRunOutput(TypedDict):
    """A run that has begun."""

    run: str


def offered_tool(tool: ScreenedTool, capabilities: Sequence[Capability]) -> OfferedTool:
    """One tool with the capabilities that call it."""
    return {
        "id": tool.id,
        "server": tool.tool.server,
        "name": tool.tool.name,
        "description": tool.tool.about[:_DESCRIPTION],
        "read_only": tool.tool.hints.read_only,
        "state": tool.state,
        "capabilities": [each.name for each in capabilities if tool.id in each.tools],
    }


def tool_review(tool: ScreenedTool) -> ToolReview:
    """One tool with the accepted version and the listed one."""
    return {
        **review_row(tool),
        "version": digest_of(tool.listed),
        "before": version_text(tool.accepted),
        "after": version_text(tool.listed),
    }


def version_text(tool: UpstreamTool) -> str:
    """A version of a tool as JSON text, without what is empty; of a very long one the beginning."""
    return json.dumps(content_of(tool), ensure_ascii=False, indent=2, sort_keys=True)[:_SHOWN]
