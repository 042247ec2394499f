"""The graph for other programs: GraphML and DOT. Pure.

A link's target that is not a memory of this project (a skill, or a deleted memory) is a node without a title.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from recollect.graph.causal import Edge, GraphNode
from recollect.ids import UnifiedId
from recollect.records.display import one_line

_KEYS = (
    ("title", "node"),
    ("category", "node"),
    ("status", "node"),
    ("type", "edge"),
    ("evidence", "edge"),
)


def with_missing_nodes(nodes: Sequence[GraphNode], edges: Sequence[Edge]) -> list[GraphNode]:
    """The nodes, and an extra node for each end of a link that is not among them."""
    known = {node.id for node in nodes}
    missing = sorted({end for edge in edges for end in (edge.source, edge.target)} - known)
    return [*nodes, *(GraphNode(id, "", _kind(id), "unknown", valid=False) for id in missing)]


def _kind(id: UnifiedId) -> str:
    prefix = id.partition(":")[0]
    return "missing" if prefix == "mem" else prefix


def graphml(nodes: Sequence[GraphNode], edges: Sequence[Edge]) -> str:
    """The graph as GraphML, which Gephi, yEd, Cytoscape and graph libraries read."""
    return "\n".join([*_graphml(with_missing_nodes(nodes, edges), edges), ""])


def _graphml(nodes: Iterable[GraphNode], edges: Iterable[Edge]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for name, of in _KEYS:
        yield f'  <key id="{name}" for="{of}" attr.name="{name}" attr.type="string"/>'
    yield '  <graph id="memories" edgedefault="directed">'
    for node in nodes:
        data = {"title": node.title, "category": node.category, "status": node.status}
        yield f"    <node id={quoteattr(one_line(node.id))}>{_data(data)}</node>"
    for edge in edges:
        ends = f"source={quoteattr(one_line(edge.source))} target={quoteattr(one_line(edge.target))}"
        yield f"    <edge {ends}>{_data({'type': edge.type.value, 'evidence': edge.evidence})}</edge>"
    yield "  </graph>"
    yield "</graphml>"


def _data(values: Mapping[str, str | None]) -> str:
    return "".join(
        f'<data key="{name}">{escape(one_line(text))}</data>' for name, text in values.items() if text
    )


def dot(nodes: Sequence[GraphNode], edges: Sequence[Edge]) -> str:
    """The graph as DOT, which Graphviz draws."""
    lines = ["digraph memories {", "  rankdir = LR;", '  node [shape = box, fontname = "sans-serif"];']
    for node in with_missing_nodes(nodes, edges):
        style = "" if node.status == "active" and node.valid else ", style = dashed"
        lines.append(f"  {_quoted(node.id)} [label = {_quoted(node.title or node.id)}{style}];")
    for edge in edges:
        tip = f", tooltip = {_quoted(edge.evidence)}" if edge.evidence else ""
        ends = f"{_quoted(edge.source)} -> {_quoted(edge.target)}"
        lines.append(f"  {ends} [label = {_quoted(edge.type.value)}{tip}];")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'
