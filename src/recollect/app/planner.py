"""Planning for a project: what catalogue, observed schemas and tool graph know about a request."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from recollect.app.tool_search import ToolSearch
from recollect.gateway.observed_schema import json_schema
from recollect.gateway.ports import ObservedSchemas
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.tool_graph import ToolEdge
from recollect.gateway.upstream import Upstream
from recollect.records.json_format import Json
from recollect.workflow.candidates import candidates
from recollect.workflow.plan_request import PlanRequest
from recollect.workflow.schema_fields import Schema


@dataclass(frozen=True, slots=True)
class Wish:
    """What an agent wants planned, and the values it knows already, by tool id."""

    intent: str
    arguments: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    context: Mapping[str, Json] = field(default_factory=dict)


def plan_request(
    wish: Wish, search: ToolSearch, edges: Sequence[ToolEdge], upstreams: Mapping[str, Upstream]
) -> PlanRequest:
    """What is to be planned, with the tools that discovery finds for it. Runs the embedding model.

    What tools give is not in it yet: `related` says of which it matters.
    """
    steps, tools = candidates(wish.intent, lambda text: search.find(text, stepwise=False))
    return PlanRequest(
        wish.intent,
        tools,
        steps,
        search.by_id,
        edges=edges,
        needs={tool: needed for each in upstreams.values() for tool, needed in each.needs.items()},
        arguments=wish.arguments,
        context=wish.context,
    )


def related(request: PlanRequest, used: Collection[str]) -> list[UpstreamTool]:
    """The tools that a plan may have: candidates, tools of the tool graph, and those `used` already."""
    observed = {id for edge in request.edges for id in (edge.source, edge.target)}
    ids = {each.tool.id for each in request.candidates}.union(observed, used)
    return [tool for id, tool in request.tools().items() if id in ids]


def output_schemas(tools: Sequence[UpstreamTool], observed: ObservedSchemas) -> dict[str, Schema]:
    """What each tool gives: as it declares, else as its results looked so far."""
    schemas: dict[str, Schema] = {}
    for tool in tools:
        seen = None if tool.output_schema else observed.get(tool.server, tool.name)
        schema = tool.output_schema or (json_schema(seen) if seen else None)
        if schema:
            schemas[tool.id] = schema
    return schemas
