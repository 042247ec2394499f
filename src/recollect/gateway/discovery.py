"""Which tools fit a request? Relevance, what is used together, and whether any tool fits at all.

`score = alpha x relevance x reliability + (1 - alpha) x graph`; an exact name is always first.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from recollect.gateway import weights
from recollect.gateway.confidence import MatchSignals, confidence, match_signals
from recollect.gateway.relevance import Cosines, Relevance, ToolIndex, relevance
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.tool_graph import (
    ToolGraph,
    evidence,
    expansion,
    local_density,
    relatedness,
    relevance_share,
)

LIMIT = 10


@dataclass(frozen=True, slots=True)
class ToolExplanation:
    """The signals behind one score. `score` computes it from them; nothing else enters it."""

    words: float
    meaning: float | None
    relevance: float
    reliability: float = 1.0
    graph: float = 0.0
    alpha: float = 1.0
    exact: bool = False

    @property
    def score(self) -> float:
        """1 for an exact name, else `alpha x relevance x reliability + (1 - alpha) x graph`."""
        if self.exact:
            return 1.0
        return self.alpha * self.relevance * self.reliability + (1 - self.alpha) * self.graph


@dataclass(frozen=True, slots=True)
class ToolHit:
    """A tool that may fit, with why."""

    tool: UpstreamTool
    why: ToolExplanation


@dataclass(frozen=True, slots=True)
class Discovery:
    """The tools that may fit a request, best first.

    `signals` are of the most relevant tool; None for an exact name, which is certain. `density` and
    `evidence` of the tool graph around the tools in use decide the share of relevance in every score.
    """

    hits: tuple[ToolHit, ...]
    signals: MatchSignals | None = None
    density: float = 0.0
    evidence: float = 0.0

    @property
    def confidence(self) -> float:
        """The probability that a tool fits: 0 without hits, 1 for an exact name."""
        if not self.hits:
            return 0.0
        return confidence(self.signals) if self.signals else 1.0

    @property
    def fits(self) -> bool:
        """Whether any tool fits; otherwise the hits are only the nearest there are."""
        return self.confidence >= weights.FITS


@dataclass(frozen=True, slots=True)
class Experience:
    """What is known from use: the tools in use now, the graph, and how reliable tools were, by id.

    `likely` has the probability that a tool is called next.
    """

    context: Collection[str] = ()
    graph: ToolGraph = field(default_factory=ToolGraph)
    reliability: Mapping[str, float] = field(default_factory=dict)
    likely: Mapping[str, float] = field(default_factory=dict)


def discover(
    text: str,
    index: ToolIndex,
    cosines: Cosines | None = None,
    experience: Experience | None = None,
    limit: int = LIMIT,
    *,
    stepwise: bool = True,
) -> Discovery:
    """The tools that fit a request best. `cosines` adds the meaning; without it words alone decide."""
    experience = experience or Experience()
    relevant = relevance(text, index, cosines, stepwise=stepwise)
    exact = index.named(text)
    density = local_density(experience.graph, experience.context)
    belief = evidence(experience.graph, experience.context)
    alpha = relevance_share(density, belief) if experience.context else 1.0
    most = round(limit * expansion(density))
    whys = _explained(index, relevant, exact, experience, alpha, most)
    order = sorted(
        whys, key=lambda tool: (not whys[tool].exact, -whys[tool].score, -whys[tool].relevance, tool)
    )
    hits = tuple(ToolHit(index.tools[tool], whys[tool]) for tool in order[:limit])
    if exact or not relevant.fused:
        return Discovery(hits, None, density, belief)
    first = relevant.best(1)[0]
    signals = match_signals(relevant.query, index.terms[first], index.words, relevant.cosine(first))
    return Discovery(hits, signals, density, belief)


def _explained(
    index: ToolIndex,
    relevant: Relevance,
    exact: set[int],
    experience: Experience,
    alpha: float,
    most: int,
) -> dict[int, ToolExplanation]:
    """The candidates: the most relevant tools, those of that name, and neighbours of the tools in use."""
    context, graph, likely = experience.context, experience.graph, experience.likely
    candidates = {*relevant.best(most), *exact}
    if neighbours := {other for tool in context for other in {*graph.of(tool), *graph.beside(tool)}}:
        candidates |= {number for number, tool in enumerate(index.tools) if tool.id in neighbours}

    def explain(number: int) -> ToolExplanation:
        id = index.tools[number].id
        return ToolExplanation(
            words=relevant.words.get(number, 0.0),
            meaning=relevant.cosine(number),
            relevance=relevant.fused.get(number, 0.0),
            reliability=experience.reliability.get(id, 1.0),
            graph=max(relatedness(graph, id, context), likely.get(id, 0.0)) if context else 0.0,
            alpha=alpha,
            exact=number in exact,
        )

    return {number: explain(number) for number in candidates}
