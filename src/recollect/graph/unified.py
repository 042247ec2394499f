"""One search over both graphs: one after the other, capped, on one scale, and neither can stop the other.

A graph that raises, runs out of time or is missing costs a warning; the hits of the other are still
returned. This is the graph channel of the pipeline; `converging` is applied after fusion.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from recollect.graph.cross_edges import CrossEdge
from recollect.ids import PREFIXES, UnifiedId

Hits = Sequence[tuple[UnifiedId, float]]

EACH = 10  # hits of one graph
TOP = 20  # how far down the fused ranking two hits may be and still converge
SECONDS = 1.0  # for both graphs: enough to read some hundred skills once; milliseconds after that


@dataclass(frozen=True, slots=True)
class GraphQuery:
    """A query to both graphs: the text, the hits of the other channels, and cross edges of those hits.

    `seeds` are best first, their scores 0..1; `crossing` are the `implements` links of memories in it.
    """

    text: str
    seeds: Sequence[tuple[UnifiedId, float]] = ()
    crossing: Sequence[CrossEdge] = ()


class GraphSearch(Protocol):
    """One graph. Best first, ids unified; it may raise, TimeoutError when `seconds` are over."""

    def __call__(self, query: GraphQuery, limit: int, seconds: float, /) -> Hits: ...


@dataclass(frozen=True, slots=True)
class GraphHits:
    """Hits of both graphs, best first, and warnings about graphs that gave none."""

    hits: tuple[tuple[UnifiedId, float], ...]
    warnings: tuple[str, ...]


def search_graphs(
    graphs: Mapping[str, GraphSearch], query: GraphQuery, remaining: Callable[[], float]
) -> GraphHits:
    """Ask each graph in turn: at most 10 hits of each, scores 0..1, equal ones by id. Never raises.

    `remaining` gives the seconds that are left for all of them. A hit may be a memory that is retired or
    deleted, because skills name memories without knowing them.
    """
    best: dict[UnifiedId, float] = {}
    warnings: list[str] = []
    for name, graph in graphs.items():
        seconds = remaining()
        try:
            if seconds <= 0:
                raise TimeoutError  # noqa: TRY301 - the same outcome as inside a graph
            for id, score in scaled(graph(query, EACH, seconds)):
                best[id] = max(best.get(id, 0.0), score)
        except TimeoutError:
            warnings.append(f"the {name} graph timed out; the results do not include it")
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            warnings.append(f"the {name} graph failed ({reason}); the results do not include it")
    ranked = sorted(best.items(), key=lambda hit: (-hit[1], hit[0]))
    return GraphHits(tuple(ranked), tuple(warnings))


def scaled(hits: Hits) -> Hits:
    """The first 10 with scores in 0..1: divided by the best score when that is above 1.

    Scores that are in 0..1 already keep their scale, so that weak matches stay weak. A hit whose id has no
    known prefix, or whose score is not a positive number, is left out.
    """
    valid = [
        (id, score)
        for id, score in hits
        if id.partition(":")[0] in PREFIXES and 0 < score < float("inf")
    ]
    top = max(1.0, *(score for _, score in valid)) if valid else 1.0
    return sorted(((id, score / top) for id, score in valid), key=lambda hit: (-hit[1], hit[0]))[:EACH]


def converging(ranked: Sequence[UnifiedId], edges: Iterable[CrossEdge]) -> frozenset[UnifiedId]:
    """Who gets the convergence bonus: a memory and a skill in the fused top 20 that an edge joins."""
    top = set(ranked[:TOP])
    return frozenset(
        end
        for edge in edges
        if edge.source in top and edge.target in top
        for end in (edge.source, edge.target)
    )
