"""A link between memories: alone, at a skill, in the whole graph, and as a suggestion."""

import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict

from recollect.graph.causal import Edge, GraphNode
from recollect.ids import UnifiedId
from recollect.records.display import one_line

if TYPE_CHECKING:
    from recollect.graph.suggest import Suggestion
    from recollect.graph.survey import Survey


class EdgeRow(TypedDict):
    """A link, as the memory `source` stores it."""

    source: str
    type: str
    target: str
    evidence: str | None


ToolEdge = TypedDict(
    "ToolEdge",
    {"from": str, "type": str, "to": str, "evidence": NotRequired[str], "title": NotRequired[str]},
)
ToolEdge.__doc__ = """A link in the answer of a tool. `title` is that of the memory at the other end."""


def short_id(id: str) -> str:
    """An id as commands and tools take it: a memory's without its prefix."""
    return id.removeprefix("mem:")


def edge_row(edge: Edge) -> EdgeRow:
    """A link for `--json`."""
    return {
        "source": short_id(edge.source),
        "type": edge.type.value,
        "target": short_id(edge.target),
        "evidence": edge.evidence,
    }


def tool_edge(edge: Edge, title: str | None = None) -> ToolEdge:
    """A link for a tool's answer."""
    row: ToolEdge = {
        "from": short_id(edge.source),
        "type": edge.type.value,
        "to": short_id(edge.target),
    }
    if edge.evidence:
        row["evidence"] = one_line(edge.evidence)
    if title is not None:
        row["title"] = one_line(title)
    return row


class SkillPageOutput(TypedDict):
    """A page of a skill with its edges: to other pages, and to and from memories."""

    title: str
    description: str
    tags: list[str]
    headings: list[str]
    excerpt: str
    edges: list[EdgeRow]


class SuggestionRow(EdgeRow):
    """A link that may be missing, the reason, and the command that would add it."""

    reason: str
    command: str


class LinkOutput(TypedDict):
    """`recollect link`: the memory it wrote, as `save` prints it; with --suggest only `suggestions`."""

    id: NotRequired[str]
    path: NotRequired[str]
    action: NotRequired[str]
    version: NotRequired[str]
    redacted: NotRequired[list[dict[str, str]]]
    superseded: NotRequired[list[str]]
    suggestions: NotRequired[list[SuggestionRow]]


def suggestion_row(suggestion: "Suggestion") -> SuggestionRow:
    """A suggested link and the command that adds it."""
    source, target = short_id(suggestion.source), short_id(suggestion.target)
    type, evidence = suggestion.type.value, suggestion.evidence
    words = ["recollect", "link", source, type, target, "--evidence", evidence]
    return {
        "source": source,
        "type": type,
        "target": target,
        "evidence": evidence,
        "reason": suggestion.reason,
        "command": shlex.join(words),
    }


class GraphStatsOutput(TypedDict):
    """`recollect graph stats`.

    `dangling` links lead to no memory, `loops` to themselves, `retired` from an active memory to one that
    is not; `circles` are groups of memories that all depend on each other.
    """

    memories: int
    skills: int
    links: int
    by_type: dict[str, int]
    orphans: int
    communities: int
    dangling: list[EdgeRow]
    loops: list[EdgeRow]
    retired: list[EdgeRow]
    circles: list[list[str]]


def graph_stats(survey: "Survey", communities: int, skills: int) -> GraphStatsOutput:
    """The graph in numbers, and the links that look wrong."""
    return {
        "memories": survey.memories,
        "skills": skills,
        "links": survey.links,
        "by_type": dict(survey.by_type),
        "orphans": len(survey.orphans),
        "communities": communities,
        "dangling": [edge_row(edge) for edge in survey.dangling],
        "loops": [edge_row(edge) for edge in survey.loops],
        "retired": [edge_row(edge) for edge in survey.retired],
        "circles": [[short_id(id) for id in circle] for circle in survey.circles],
    }


class NodeRow(TypedDict):
    """A memory in the graph. A link's target that is no memory has the category skill or missing."""

    id: str
    title: str
    category: str
    status: str
    valid: bool


def node_row(node: GraphNode) -> NodeRow:
    """A node of the graph."""
    return {
        "id": short_id(node.id),
        "title": node.title,
        "category": node.category,
        "status": node.status,
        "valid": node.valid,
    }


class GraphOrphansOutput(TypedDict):
    """`recollect graph orphans`: active memories without any link."""

    memories: list[NodeRow]


class CommunityRow(TypedDict):
    """Memories that belong together, the most referenced first."""

    size: int
    ids: list[str]


class GraphCommunitiesOutput(TypedDict):
    """`recollect graph communities`: the largest first."""

    communities: list[CommunityRow]


def communities_output(groups: Iterable[Sequence[UnifiedId]]) -> GraphCommunitiesOutput:
    """Communities, each as its ids."""
    return {"communities": [{"size": len(ids), "ids": [short_id(id) for id in ids]} for ids in groups]}


class GraphExportOutput(TypedDict):
    """`recollect graph export`: the whole graph; `--format json` prints the same."""

    nodes: list[NodeRow]
    edges: list[EdgeRow]


def graph_export(nodes: Iterable[GraphNode], edges: Iterable[Edge]) -> GraphExportOutput:
    """The whole graph."""
    return {
        "nodes": [node_row(node) for node in nodes],
        "edges": [edge_row(edge) for edge in edges],
    }
