"""The graph: what is linked to what, from afar or around some nodes, and why something is so."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from recollect.app.project import Recollect
from recollect.clock import to_text
from recollect.errors import NotFoundError
from recollect.graph.graph_map import MOST_NODES, MOST_STARTS, GraphMap, matches, neighbourhood, part_of
from recollect.graph.map_communities import MapCommunity
from recollect.graph.why import DEEPEST, DEPTH
from recollect.ids import UnifiedId
from recollect.loopback.endpoint import ApiCall, Endpoint
from recollect.team.roles import Permission
from recollect.views.graph_map import (
    GraphMapOutput,
    GraphMatchesOutput,
    far_output,
    matches_output,
    part_output,
)
from recollect.views.why import WhyOutput, why_output
from recollect.web.page import WebPage, in_project

_MATCHES = 20
_Id = Annotated[str, Field(max_length=600)]


@dataclass(frozen=True, slots=True)
class GraphPartQuery:
    """Which part: around some nodes, one community, or as much of everything as fits."""

    around: Annotated[
        tuple[_Id, ...], Field(max_length=MOST_STARTS, description="Nodes with their neighbours.")
    ] = ()
    also: Annotated[
        tuple[_Id, ...], Field(max_length=MOST_NODES, description="Nodes without their neighbours.")
    ] = ()
    community: Annotated[_Id, Field(description="Any member of the community.")] = ""
    at: Annotated[str, Field(max_length=100, description="A date or a commit. [now]")] = ""
    most: Annotated[int, Field(ge=1, le=500, description="Maximum number of nodes.")] = MOST_NODES


@dataclass(frozen=True, slots=True)
class GraphSearchQuery:
    """Words of a title or an id."""

    q: Annotated[str, Field(max_length=400)]


@dataclass(frozen=True, slots=True)
class WhyQuery:
    """A memory's id, or a question."""

    of: Annotated[str, Field(min_length=1, max_length=2_000)]
    depth: Annotated[int, Field(ge=1, le=DEEPEST)] = DEPTH


def _graph(recollect: Recollect, call: ApiCall[WebPage]) -> GraphMapOutput:
    query: GraphPartQuery = call.query
    at = recollect.moment(query.at, end_of_day=True) or to_text(recollect.now)
    whole = recollect.graphs.map()
    groups = recollect.graphs.communities(whole, at)
    starts, also = _known(whole, query.around), _known(whole, query.also)
    if query.around:
        if not starts:
            raise NotFoundError(f"there is no {query.around[0]!r} in the graph.")
        return part_output(neighbourhood(whole, starts, also, query.most), whole, groups)
    if query.community:
        members = _community(groups, _known(whole, (query.community,)), query.community)
        left_out = max(0, len(members) - query.most)
        return part_output(part_of(whole, [*also, *members], query.most), whole, groups, left_out)
    linked = [id for group in groups for id in group.members]
    if len(linked) <= query.most or also:
        shown = linked if len(linked) <= query.most else []
        return part_output(part_of(whole, [*also, *shown], query.most), whole, groups)
    return far_output(whole, groups)


def _community(groups: list[MapCommunity], member: list[UnifiedId], name: str) -> tuple[UnifiedId, ...]:
    for group in groups:
        if member and member[0] in group.members:
            return group.members
    raise NotFoundError(f"there is no community of {name!r}.")


def _known(whole: GraphMap, ids: tuple[str, ...]) -> list[UnifiedId]:
    return [node.id for id in ids if (node := whole.find(id))]


def _search(recollect: Recollect, call: ApiCall[WebPage]) -> GraphMatchesOutput:
    query: GraphSearchQuery = call.query
    whole = recollect.graphs.map()
    return matches_output(matches(whole, query.q, _MATCHES), whole)


def _why(recollect: Recollect, call: ApiCall[WebPage]) -> WhyOutput:
    query: WhyQuery = call.query
    return why_output(recollect.graphs.why(query.of, query.depth), recollect.now)


ENDPOINTS: tuple[Endpoint[WebPage], ...] = (
    Endpoint(
        "GET",
        "graph",
        Permission.READ_MEMORIES,
        "A part of the graph of memories and skills, or its communities where it is large.",
        GraphMapOutput,
        in_project(_graph),
        GraphPartQuery,
    ),
    Endpoint(
        "GET",
        "graph/search",
        Permission.READ_MEMORIES,
        "Nodes of the graph by words of their titles.",
        GraphMatchesOutput,
        in_project(_search),
        GraphSearchQuery,
    ),
    Endpoint(
        "GET",
        "graph/why",
        Permission.READ_MEMORIES,
        "What led to a memory.",
        WhyOutput,
        in_project(_why),
        WhyQuery,
    ),
)
