"""The next tool from the tool graph: what is used together, communities, recency and rank (DESIGN 11)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from recollect.graph.algorithms import Network
from recollect.ids import UnifiedId
from recollect.learning import weights
from recollect.learning.context_predictor import Sequences
from recollect.workflow.prediction import NextTool, ranked


class GraphPredictor:
    """Scores every tool by four signals; the scores are scaled to add up to 1.

    Calls that are added later change no community and no rank.
    """

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
        groups = network.communities("louvain") if network.ids else ()
        communities = [frozenset(map(str, members)) for members in groups]
        self._community = {tool: members for members in communities for tool in members}
        self._alone = {tool: self._score_alone(tool) for tool in self._last_seen}

    def add(self, recent: Sequence[str], tool: str) -> None:
        if recent:
            self._following.setdefault(recent[-1], Counter())[tool] += 1
        self._last_seen[tool] = self._newest
        self._alone[tool] = self._score_alone(tool)

    def predict(self, recent: Sequence[str]) -> Sequence[NextTool]:
        return ranked(self.probabilities(recent))

    def probabilities(self, recent: Sequence[str]) -> Mapping[str, float]:
        last = recent[-1] if recent else ""
        scores = dict(self._alone)
        for tool in self._community.get(last, ()):
            scores[tool] += weights.COMMUNITY
        counts = self._following.get(last, Counter[str]())
        seen = sum(counts.values())
        for tool, count in counts.items():
            scores[tool] += weights.CO_OCCURRENCE * count / seen
        total = sum(scores.values()) or 1.0
        return {tool: score / total for tool, score in scores.items()}

    def _score_alone(self, tool: str) -> float:
        """What a tool scores whatever was called last."""
        recency = self._last_seen[tool] / self._newest
        return weights.RECENCY * recency + weights.RANK * self._ranks.get(tool, 0.0)
