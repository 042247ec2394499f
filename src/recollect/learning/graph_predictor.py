"""The next tool from the tool graph: what is used together, communities, recency and rank (DESIGN 11)."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from recollect.graph.algorithms import Network
from recollect.ids import UnifiedId
from recollect.learning import weights
from recollect.learning.context_predictor import Sequences
from recollect.workflow.prediction import NextTool, calibrated


class GraphPredictor:
    """Scores every tool by four signals; the scores are scaled to add up to 1."""

    def __init__(self, sequences: Sequences) -> None:
        self._following: dict[str, Counter[str]] = {}
        self._last_seen: dict[str, int] = {}
        for number, calls in enumerate(sequences):
            self._last_seen.update(dict.fromkeys(calls, number))
            for before, after in pairwise(calls):
                self._following.setdefault(before, Counter())[after] += 1
        self._newest = max(len(sequences) - 1, 1)
        network = Network.of(
            (UnifiedId(before), UnifiedId(after), float(count))
            for before, counts in self._following.items()
            for after, count in counts.items()
        )
        ranks = network.pagerank() if network.ids else {}
        top = max(ranks.values(), default=1.0)
        self._ranks = {str(tool): rank / top for tool, rank in ranks.items()}
        self._community = {
            str(tool): number
            for number, members in enumerate(network.communities("louvain") if network.ids else ())
            for tool in members
        }

    def predict(self, recent: Sequence[str]) -> Sequence[NextTool]:
        scores = {tool: self._score(tool, recent) for tool in self._last_seen}
        total = sum(scores.values()) or 1.0
        order = sorted(scores, key=lambda tool: (-scores[tool], tool))
        return [
            NextTool(tool, calibrated(scores[tool] / total), scores[tool] / total) for tool in order
        ]

    def _score(self, tool: str, recent: Sequence[str]) -> float:
        last = recent[-1] if recent else ""
        counts = self._following.get(last, Counter[str]())
        seen = sum(counts.values())
        together = counts[tool] / seen if seen else 0.0
        community = self._community.get(tool)
        near = float(community is not None and community == self._community.get(last))
        recency = self._last_seen[tool] / self._newest
        return (
            weights.CO_OCCURRENCE * together
            + weights.COMMUNITY * near
            + weights.RECENCY * recency
            + weights.RANK * self._ranks.get(tool, 0.0)
        )
