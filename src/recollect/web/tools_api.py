"""Tools: servers, what they offer and cost, changes that a person decides about, and code that worked."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Any, Literal

from anyio import to_thread
from pydantic import Field

from recollect.app.gateway import Gateway
from recollect.app.review.tool_changes import ToolChangeReview
from recollect.errors import NotFoundError, RefusedError
from recollect.gateway.entry import digest_of
from recollect.learning.capabilities import Capability
from recollect.loopback.endpoint import ApiCall, Endpoint
from recollect.team.roles import Permission
from recollect.views.capabilities import CapabilitiesOutput, CapabilityOutput, capability_row
from recollect.views.code import code_workflow
from recollect.views.gateway import GatewayListOutput, server_row
from recollect.views.page_tools import (
    OfferedToolsOutput,
    StartedRunOutput,
    ToolDecisionOutput,
    ToolReviewsOutput,
    offered_tool,
    tool_review,
)
from recollect.views.receipts import ReceiptsOutput, receipts_output
from recollect.web.page import WebPage


@dataclass(frozen=True, slots=True)
class ReceiptsQuery:
    """How far back."""

    days: Annotated[int, Field(ge=1, le=366)] = 30


@dataclass(frozen=True, slots=True)
class ToolDecisionBody:
    """A decision about the version of a tool that was shown."""

    tool: str
    version: str
    decision: Literal["accept", "reject"]


@dataclass(frozen=True, slots=True)
class CapabilityRunBody:
    """Other values for parameters of a capability."""

    arguments: dict[str, Any] = field(default_factory=dict)


async def _servers(call: ApiCall[WebPage]) -> GatewayListOutput:
    gateway = call.door.gateway
    states = await to_thread.run_sync(gateway.states)
    return {"file": str(gateway.file), "servers": [server_row(state) for state in states]}


async def _tools(call: ApiCall[WebPage]) -> OfferedToolsOutput:
    capabilities = await _known_capabilities(call)
    tools = await to_thread.run_sync(call.door.gateway.tools)
    return {"tools": [offered_tool(tool, capabilities) for tool in tools]}


async def _receipts(call: ApiCall[WebPage]) -> ReceiptsOutput:
    query: ReceiptsQuery = call.query
    gateway = call.door.gateway
    since = (gateway.now() - timedelta(days=query.days)).date().isoformat()
    return receipts_output(await to_thread.run_sync(gateway.receipts, since), since)


async def _reviews(call: ApiCall[WebPage]) -> ToolReviewsOutput:
    shown = await to_thread.run_sync(ToolChangeReview(call.door.gateway, settled=True).shown)
    return {"tools": [tool_review(tool) for tool in shown]}


async def _decide(call: ApiCall[WebPage]) -> ToolDecisionOutput:
    body: ToolDecisionBody = call.body
    await to_thread.run_sync(_apply, call.door.gateway, body)
    return {"tool": body.tool, "decision": body.decision}


def _apply(gateway: Gateway, body: ToolDecisionBody) -> None:
    """Raises NotFoundError, and RefusedError when the server lists another version than was shown."""
    shown = [tool for tool in gateway.review(body.tool) if tool.id == body.tool]
    if not shown:
        raise NotFoundError(f"unknown tool {body.tool!r}; a tool is SERVER:TOOL.")
    if digest_of(shown[0].listed) != body.version:
        raise RefusedError(f"{body.tool} changed again since it was shown; look at it once more.")
    if body.decision == "accept":
        gateway.accept(shown)
    else:
        gateway.reject(shown)


async def _capabilities(call: ApiCall[WebPage]) -> CapabilitiesOutput:
    capabilities = await _known_capabilities(call)
    tools = await _tools_by_id(call)
    return {"capabilities": [capability_row(each, tools) for each in capabilities]}


async def _capability(call: ApiCall[WebPage]) -> CapabilityOutput:
    capability = await (await call.door.runs()).capability(call.path["name"])
    return {
        "capability": capability_row(capability, await _tools_by_id(call)),
        "code": capability.code,
    }


async def _run(call: ApiCall[WebPage]) -> StartedRunOutput:
    body: CapabilityRunBody = call.body
    runs = await call.door.runs()
    capability = await runs.capability(call.path["name"])
    if unknown := sorted(body.arguments.keys() - capability.parameters.keys()):
        names = ", ".join(capability.parameters) or "none"
        raise RefusedError(f"{capability.name} has no parameter {unknown[0]!r}; it has {names}.")
    variables = {**capability.parameters, **body.arguments}
    return {"run": await runs.start(code_workflow(capability.code, variables, capability.intent))}


async def _known_capabilities(call: ApiCall[WebPage]) -> list[Capability]:
    return await (await call.door.runs()).capabilities()


async def _tools_by_id(call: ApiCall[WebPage]) -> dict[str, Any]:
    screened = await to_thread.run_sync(call.door.gateway.tools)
    return {each.tool.id: each.tool for each in screened}


ENDPOINTS: tuple[Endpoint[WebPage], ...] = (
    Endpoint(
        "GET",
        "servers",
        Permission.READ_TOOLS,
        "The servers behind the gateway.",
        GatewayListOutput,
        _servers,
    ),
    Endpoint(
        "GET",
        "tools",
        Permission.READ_TOOLS,
        "The tools of servers that are on.",
        OfferedToolsOutput,
        _tools,
    ),
    Endpoint(
        "GET",
        "receipts",
        Permission.READ_TOOLS,
        "What tools cost and how well they work.",
        ReceiptsOutput,
        _receipts,
        ReceiptsQuery,
    ),
    Endpoint(
        "GET",
        "tool-reviews",
        Permission.READ_TOOLS,
        "Tools for a person to look at.",
        ToolReviewsOutput,
        _reviews,
    ),
    Endpoint(
        "POST",
        "tool-reviews",
        Permission.ACCEPT_TOOLS,
        "Accept or reject the version of a tool that was shown.",
        ToolDecisionOutput,
        _decide,
        body=ToolDecisionBody,
    ),
    Endpoint(
        "GET",
        "capabilities",
        Permission.READ_TOOLS,
        "Code that worked.",
        CapabilitiesOutput,
        _capabilities,
    ),
    Endpoint(
        "GET",
        "capabilities/{name}",
        Permission.READ_TOOLS,
        "One capability.",
        CapabilityOutput,
        _capability,
    ),
    Endpoint(
        "POST",
        "capabilities/{name}/runs",
        Permission.CALL_TOOLS,
        "Run a capability; its calls need the same approvals as those of any run.",
        StartedRunOutput,
        _run,
        body=CapabilityRunBody,
    ),
)
