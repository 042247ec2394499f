"""Observed ways through the tool graph: which tool came before which, directly or through others."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from recollect.gateway.tool_graph import ToolEdge
from recollect.workflow import weights

_Steps = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class ToolPath:
    """Tools that followed each other. `certainty` is that of the weakest edge, less for each further hop."""

    tools: tuple[str, ...]
    certainty: float


class ToolPaths:
    """Directed edges of the tool graph. An edge counts by its weight and by the share of its direction."""

    def __init__(self, edges: Iterable[ToolEdge]) -> None:
        counts: dict[str, dict[str, int]] = {}
        heaviest: dict[tuple[str, str], float] = {}
        self._dependencies: set[tuple[str, str]] = set()
        for edge in edges:
            if edge.source == edge.target or edge.type == "contains":
                continue
            pair = (edge.source, edge.target)
            following = counts.setdefault(edge.source, {})
            following[edge.target] = following.get(edge.target, 0) + edge.count
            heaviest[pair] = max(heaviest.get(pair, 0.0), edge.weight)
            self._dependencies |= {pair} if edge.type == "dependency" else set()
        self._strengths: dict[str, dict[str, float]] = {}
        self._shares: dict[str, dict[str, float]] = {}
        arrivals: dict[str, int] = {}
        for following in counts.values():
            for target, count in following.items():
                arrivals[target] = arrivals.get(target, 0) + count
        for (source, target), weight in heaviest.items():
            count, back = counts[source][target], counts.get(target, {}).get(source, 0)
            self._strengths.setdefault(source, {})[target] = weight * count / (count + back)
            self._shares.setdefault(source, {})[target] = count / arrivals[target]

    def is_dependency(self, source: str, target: str) -> bool:
        """Whether one tool was seen to use what the other gave, not only to follow it."""
        return (source, target) in self._dependencies

    def best(self, source: str, target: str) -> ToolPath | None:
        """The most certain path of at most `MOST_HOPS` hops; of equal ones the shorter, then by id."""
        paths = _paths(self._strengths, source, target)
        rated = [ToolPath(tools, self._certainty(tools)) for tools in paths]
        certain = [path for path in rated if path.certainty >= weights.LEAST_PATH]
        return min(
            certain, key=lambda path: (-path.certainty, len(path.tools), path.tools), default=None
        )

    def usual(self, source: str, target: str, allowed: Collection[str]) -> tuple[str, ...]:
        """The tools that usually come in between, in order: each follows the one before it in most cases.

        None when the target usually follows directly. Only `allowed` tools come in between.
        """
        usual: _Steps = {
            tool: {
                other: share
                for other, share in shares.items()
                if share >= weights.USUAL and (other == target or other in allowed)
            }
            for tool, shares in self._shares.items()
        }
        shortest = min(_paths(usual, source, target), key=lambda tools: (len(tools), tools), default=())
        return shortest[1:-1]

    def _certainty(self, tools: tuple[str, ...]) -> float:
        weakest = min(self._strengths[a][b] for a, b in pairwise(tools))
        return round(weakest * weights.HOP ** (len(tools) - 2), 4)


def _paths(steps: _Steps, source: str, target: str) -> list[tuple[str, ...]]:
    """Every path of at most `MOST_HOPS` hops that visits no tool twice."""
    before = {tool for tool, following in steps.items() if target in following}
    paths: list[tuple[str, ...]] = []
    level: list[tuple[str, ...]] = [(source,)]
    for hops in range(1, int(weights.MOST_HOPS) + 1):
        paths += [(*path, target) for path in level if path[-1] in before]
        if hops < weights.MOST_HOPS:
            is_last = hops == weights.MOST_HOPS - 1
            level = [
                (*path, tool)
                for path in level
                for tool in steps.get(path[-1], {})
                if tool != target and tool not in path and (not is_last or tool in before)
            ]
    return paths
