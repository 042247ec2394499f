"""Graph algorithms of igraph: rank, communities, similarity, paths. Deterministic.

Used for complete graphs only. Neighbourhoods and walks of a hop or two are faster in SQL.
"""

import os
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from typing import TYPE_CHECKING, Any, Literal

from recollect.graph.causal import WEIGHTS, Edge
from recollect.ids import UnifiedId
from recollect.records.record import LinkType

if TYPE_CHECKING:
    from types import ModuleType

DAMPING = 0.85  # Page et al. 1999: how often the walker follows a link instead of restarting
AUTHORITY = 0.05  # largest bonus: less than one boost, so that rank only decides between equals
_SEED = 7  # community detection is randomised; a fixed seed makes it repeatable

Pair = tuple[UnifiedId, UnifiedId, float]  # from, to, weight


@dataclass(frozen=True, slots=True)
class Network:
    """A directed graph of ids. Loops are dropped; the weights of parallel edges are added."""

    ids: tuple[UnifiedId, ...]
    _graph: Any
    _places: Mapping[UnifiedId, int]

    @classmethod
    def of(cls, pairs: Iterable[Pair]) -> "Network":
        """Build the network of these edges."""
        weights: dict[tuple[UnifiedId, UnifiedId], float] = {}
        for source, target, weight in pairs:
            if source != target:
                weights[source, target] = weights.get((source, target), 0.0) + weight
        ids = tuple(sorted({id for pair in weights for id in pair}))
        places = {id: place for place, id in enumerate(ids)}
        ordered = sorted(weights.items())
        graph = _igraph().Graph(
            n=len(ids),
            edges=[(places[source], places[target]) for (source, target), _ in ordered],
            directed=True,
            edge_attrs={"weight": [weight for _, weight in ordered]},
        )
        return cls(ids, graph, places)

    def pagerank(self) -> dict[UnifiedId, float]:
        """The share of time a random walker spends at each id; the shares add up to 1."""
        return self._named(self._graph.pagerank(damping=DAMPING, weights="weight"))

    def pagerank_from(self, seeds: Mapping[UnifiedId, float]) -> dict[UnifiedId, float]:
        """PageRank of a walker who restarts at `seeds`; empty if the network has none of them."""
        start = [max(seeds.get(id, 0.0), 0.0) for id in self.ids]
        if not any(start):
            return {}
        ranks = self._graph.personalized_pagerank(damping=DAMPING, reset=start, weights="weight")
        return self._named(ranks)

    def communities(
        self, method: Literal["leiden", "louvain"] = "leiden"
    ) -> list[tuple[UnifiedId, ...]]:
        """Groups of ids with more links inside than outside; the largest first, then by id."""
        library = _igraph()
        undirected = self._graph.as_undirected(mode="collapse", combine_edges={"weight": "sum"})
        library.set_random_number_generator(random.Random(_SEED))  # noqa: S311 - repeatable, not secret
        try:
            if method == "leiden":
                parts = undirected.community_leiden("modularity", weights="weight", n_iterations=-1)
            else:
                parts = undirected.community_multilevel(weights="weight")
        finally:
            library.set_random_number_generator(random)
        named = [tuple(sorted(self.ids[place] for place in part)) for part in parts]
        return sorted(named, key=lambda part: (-len(part), part))

    def adamic_adar(self, id: UnifiedId) -> dict[UnifiedId, float]:
        """Similarity of `id` to each other id by shared neighbours; those with few links count more."""
        if id not in self._places:
            return {}
        undirected = self._graph.as_undirected(mode="collapse")
        row = undirected.similarity_inverse_log_weighted(vertices=[self._places[id]])[0]
        return {other: like for other, like in self._named(row).items() if like > 0 and other != id}

    def path(self, start: UnifiedId, end: UnifiedId, *, directed: bool = False) -> list[UnifiedId]:
        """The shortest path by number of edges, with both ends; empty if there is none."""
        if start not in self._places or end not in self._places:
            return []
        mode = "out" if directed else "all"
        ends = self._places[start], self._places[end]
        if isinf(self._graph.distances(*ends, mode=mode)[0][0]):
            return []  # igraph would print a warning
        path = self._graph.get_shortest_path(*ends, mode=mode)
        return [self.ids[place] for place in path]

    def circles(self) -> list[tuple[UnifiedId, ...]]:
        """Groups of ids that all lead to each other; the largest first, then by id."""
        parts = self._graph.connected_components(mode="strong")
        named = [tuple(sorted(self.ids[place] for place in part)) for part in parts if len(part) > 1]
        return sorted(named, key=lambda part: (-len(part), part))

    def _named(self, values: Sequence[float]) -> dict[UnifiedId, float]:
        return dict(zip(self.ids, values, strict=True))


def reasons(edges: Iterable[Edge]) -> list[Pair]:
    """Edges from effects to reasons, and from superseded memories to their successors."""
    pairs: list[Pair] = []
    for edge in edges:
        if edge.type is LinkType.SUPERSEDES:
            pairs.append((edge.target, edge.source, 1.0))
        elif edge.reason is not None:
            pairs.append((edge.other(edge.reason), edge.reason, 1.0))
    return pairs


def steps(edges: Iterable[Edge]) -> list[Pair]:
    """Each link as two edges, one per direction, weighted as in the causal search."""
    pairs: list[Pair] = []
    for edge in edges:
        to_target, to_source = WEIGHTS[edge.type]
        pairs.append((edge.source, edge.target, to_target))
        pairs.append((edge.target, edge.source, to_source))
    return pairs


def authority(edges: Iterable[Edge]) -> Mapping[UnifiedId, float]:
    """How much rests on each memory, 0 to AUTHORITY: PageRank from effects to reasons, rescaled."""
    ranks = Network.of(reasons(edges)).pagerank()
    low, high = min(ranks.values(), default=0.0), max(ranks.values(), default=0.0)
    if high - low < 1e-9:
        return {}
    return {id: AUTHORITY * (rank - low) / (high - low) for id, rank in ranks.items()}


def _igraph() -> "ModuleType":
    """Import igraph at first use, because it costs 50 ms."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # its threads wait for each other on small machines
    import igraph  # noqa: PLC0415

    module: ModuleType = igraph
    return module
