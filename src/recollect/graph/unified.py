"""One search over both graphs: asked at the same time, capped, on one scale, and neither can stop the other.

A graph that raises, hangs or is missing costs a warning; what the other found is still told. This is the
one graph channel of the pipeline; `converging` is its last word after fusion.
"""

from __future__ import annotations

import threading

from recollect.ids import PREFIXES
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from concurrent.futures import Future
    from typing import Protocol

    from recollect.graph.cross_edges import CrossEdge
    from recollect.ids import UnifiedId

    Hits = Sequence[tuple[UnifiedId, float]]

    class GraphSearch(Protocol):
        """One graph. Best first, ids unified; it may raise, and it may take its time."""

        def __call__(self, asked: Asked, limit: int) -> Hits: ...


EACH = 10  # hits of one graph
TOP = 20  # how far down the fused ranking two hits may stand and still converge
SECONDS = 1.0  # a graph may take: to read some hundred skills once; milliseconds after that


class Asked(Frozen):
    """What both graphs are asked: the text, what was found for it by other ways, and edges those hold.

    `seeds` are best first, their scores 0..1; `crossing` are the `implements` of memories among them.
    """

    text: str
    seeds: Sequence[tuple[UnifiedId, float]] = ()
    crossing: Sequence[CrossEdge] = ()


class GraphFound(Frozen):
    """Hits of both graphs, best first, and what went wrong."""

    hits: tuple[tuple[UnifiedId, float], ...]
    warnings: tuple[str, ...]


class UnifiedGraph:
    """The graphs by their names; None for one that could not be had.

    A hit may be a memory that is retired or gone: skills name memories and know nothing of them.
    """

    def __init__(self, graphs: Mapping[str, GraphSearch | None], seconds: float = SECONDS) -> None:
        self._graphs = dict(graphs)
        self._seconds = seconds
        self._late: dict[str, Future[Hits]] = {}  # asked, and not back when their time was up

    def search(self, asked: Asked) -> GraphFound:
        """At most 10 hits of each graph, scores 0..1; equal ones by id. Never raises for a graph."""
        from concurrent.futures import wait  # noqa: PLC0415 - a prompt may do without

        warnings: list[str] = []
        flights: dict[str, Future[Hits]] = {}
        for name, graph in self._graphs.items():
            if graph is None:
                warnings.append(f"the {name} graph is missing; results are without it")
            elif not self._is_late(name):
                flights[name] = _started(name, graph, asked)
            else:
                warnings.append(f"the {name} graph is still busy; results are without it")
        wait(flights.values(), self._seconds)
        best: dict[UnifiedId, float] = {}
        for name, flight in flights.items():
            for id, score in self._landed(name, flight, warnings):
                best[id] = max(best.get(id, 0.0), score)
        ordered = sorted(best.items(), key=lambda hit: (-hit[1], hit[0]))
        return GraphFound(tuple(ordered), tuple(warnings))

    def _is_late(self, name: str) -> bool:
        late = self._late.get(name)
        return late is not None and not late.done()

    def _landed(self, name: str, flight: Future[Hits], warnings: list[str]) -> Hits:
        if not flight.done():
            self._late[name] = flight
            told = f"did not answer within {self._seconds * 1000:.0f} ms"
        elif error := flight.exception():
            told = f"failed ({type(error).__name__}: {error})"
        else:
            try:
                return scaled(flight.result())
            except (TypeError, ValueError) as error:
                told = f"gave no ranking ({error})"
        warnings.append(f"the {name} graph {told}; results are without it")
        return ()


def _started(name: str, graph: GraphSearch, asked: Asked) -> Future[Hits]:
    """Ask a graph in a thread of its own, which does not keep the process alive if it hangs."""
    from concurrent.futures import Future  # noqa: PLC0415 - a prompt may do without

    flight: Future[Hits] = Future()

    def fly() -> None:
        try:
            found = graph(asked, EACH)
        except BaseException as error:
            flight.set_exception(error)
        else:
            flight.set_result(found)

    threading.Thread(target=fly, name=f"recollect-{name}", daemon=True).start()
    return flight


def scaled(found: Hits) -> Hits:
    """The first 10 with scores in 0..1: divided by the best one when that is above 1.

    A ranking that is in 0..1 already keeps its scale, so that a graph which found little says so. What is
    no unified id, no number or not above 0 is left out.
    """
    known = [
        (id, score)
        for id, score in found
        if id.partition(":")[0] in PREFIXES and 0 < score < float("inf")
    ]
    most = max((score for _, score in known), default=1.0)
    top = max(most, 1.0)
    return sorted(((id, score / top) for id, score in known), key=lambda hit: (-hit[1], hit[0]))[:EACH]


def converging(ranked: Sequence[UnifiedId], edges: Iterable[CrossEdge]) -> frozenset[UnifiedId]:
    """Who gets the convergence bonus: a memory and a skill in the fused top 20 that an edge joins."""
    top: Collection[UnifiedId] = set(ranked[:TOP])
    return frozenset(
        end
        for edge in edges
        if edge.source in top and edge.target in top
        for end in (edge.source, edge.target)
    )
