"""Which tool is called next? A port, and predictors that know the tool graph, or a plan.

A probability is calibrated: of the calls that are predicted with 0.9, nine in ten happen, as far as held-out
sequences show. Speculation compares it with its threshold.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Protocol

from recollect.gateway.tool_graph import ToolEdge
from recollect.workflow import weights
from recollect.workflow.plan import Plan

_LEAST, _MOST = 1e-6, 1 - 1e-6  # probabilities whose logarithms are finite


@dataclass(frozen=True, slots=True)
class NextTool:
    """A tool that may be called next. `raw` is the probability before it was calibrated."""

    tool: str
    probability: float
    raw: float


class Predictor(Protocol):
    """Predicts the next call from recent ones, the last of them last. It says nothing about arguments.

    Best first. Nothing for what it knows nothing about.
    """

    def predict(self, recent: Sequence[str]) -> Sequence[NextTool]: ...


class CountingPredictor(Predictor, Protocol):
    """A predictor that counts calls, and so learns from one more without learning all of them again."""

    def probabilities(self, recent: Sequence[str]) -> Mapping[str, float]:
        """The raw probability of each known tool."""
        ...

    def add(self, recent: Sequence[str], tool: str) -> None:
        """A tool was called after these, the last of them last."""
        ...


class BackOffBigram:
    """What followed the last tool before, backed off to what is called often (Witten-Bell).

    The fewer calls followed the last tool, and the more different ones, the more general frequencies count.
    """

    def __init__(self, edges: Iterable[ToolEdge]) -> None:
        self._following: dict[str, dict[str, int]] = {}
        self._calls: dict[str, int] = {}
        for edge in edges:
            if edge.type == "sequence":
                following = self._following.setdefault(edge.source, {})
                following[edge.target] = following.get(edge.target, 0) + edge.count
                self._calls[edge.target] = self._calls.get(edge.target, 0) + edge.count

    def add(self, recent: Sequence[str], tool: str) -> None:
        if recent:
            following = self._following.setdefault(recent[-1], {})
            following[tool] = following.get(tool, 0) + 1
            self._calls[tool] = self._calls.get(tool, 0) + 1

    def predict(self, recent: Sequence[str]) -> Sequence[NextTool]:
        return ranked(self.probabilities(recent))

    def probabilities(self, recent: Sequence[str]) -> Mapping[str, float]:
        following = self._following.get(recent[-1], {}) if recent else {}
        seen, different, total = sum(following.values()), len(following), sum(self._calls.values())
        back_off = different / (seen + different) if seen else 1.0

        def probability(tool: str) -> float:
            general = self._calls[tool] / (total + len(self._calls))  # the rest is for unseen tools
            return back_off * general + (following.get(tool, 0) / (seen + different) if seen else 0.0)

        return {tool: probability(tool) for tool in self._calls}


class DeclaredPlan:
    """The tasks of a plan whose turn has come: what they wait for was called, and they were not.

    Their probability is the plan's confidence, because all of them are to be called. After a call that the
    plan does not have it says nothing.
    """

    def __init__(self, plan: Plan) -> None:
        self._tasks = plan.workflow.tasks
        self._confidence = plan.confidence.value

    def predict(self, recent: Sequence[str]) -> Sequence[NextTool]:
        called = set(recent)
        if called - {task.tool for task in self._tasks}:
            return []
        done = {task.id for task in self._tasks if task.tool in called}
        turn = [task for task in self._tasks if task.id not in done and done.issuperset(task.inputs())]
        return [
            NextTool(tool, self._confidence, self._confidence)
            for tool in dict.fromkeys(task.tool for task in turn)
        ]


def ranked(raws: Mapping[str, float]) -> Sequence[NextTool]:
    """Tools by their raw probability, equal ones by name."""
    order = sorted(raws, key=lambda tool: (-raws[tool], tool))
    return [NextTool(tool, calibrated(raws[tool]), raws[tool]) for tool in order]


def calibrated(
    raw: float, slope: float = weights.PREDICTION_SLOPE, shift: float = weights.PREDICTION_SHIFT
) -> float:
    """A raw probability, corrected by Platt's scaling of its log-odds. The order stays the same."""
    clipped = min(max(raw, _LEAST), _MOST)
    odds = slope * log(clipped / (1 - clipped)) + shift
    return 1 / (1 + exp(-odds))
