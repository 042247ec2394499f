"""Candidates for a plan: the tools that discovery finds for a request and for each of its steps."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from recollect.gateway.discovery import Discovery
from recollect.gateway.steps import MOST_STEPS, steps
from recollect.gateway.tool import UpstreamTool

Find = Callable[[str], Discovery]  # the tools that fit a text, searched as one step

_CLAUSE = re.compile(
    r"\s*[,;]\s+(?:and\s+)?|\s+(?:and|&|followed by|before|->|>|\u2192)\s+", re.IGNORECASE
)
_REVERSED = re.compile(r"\s+(?:after|once)\s+", re.IGNORECASE)  # what comes behind it is done first


@dataclass(frozen=True, slots=True)
class RequestStep:
    """One step of a request, and the probability that any tool fits it."""

    text: str
    confidence: float = 1.0
    fits: bool = True


@dataclass(frozen=True, slots=True)
class ToolCandidate:
    """A tool that may fit. `relevance` to the request and `by_step` to each of its steps, 0..1."""

    tool: UpstreamTool
    relevance: float
    by_step: tuple[float, ...] = ()

    def to_step(self, step: int) -> float:
        """How relevant it is to a step; to the request where nothing is known about the step."""
        return self.by_step[step] if step < len(self.by_step) else self.relevance


def candidates(intent: str, find: Find) -> tuple[tuple[RequestStep, ...], tuple[ToolCandidate, ...]]:
    """The steps of a request, and the tools that discovery finds for it or for a step, by id.

    A sentence becomes one step for each of its clauses, if different tools fit them.
    """
    find = cache(find)
    whole = find(intent)
    texts = [text for part in steps(intent) or [intent] for text in _clauses(part, find)]
    searches = [(text, find(text)) for text in texts[: 2 * MOST_STEPS]]
    if not any(discovery.fits for _, discovery in searches):
        searches = [(intent, whole)]
    parts = [RequestStep(text, discovery.confidence, discovery.fits) for text, discovery in searches]
    by_id = {
        hit.tool.id: hit.tool
        for discovery in (whole, *(each for _, each in searches))
        for hit in discovery.hits
    }
    scores = [
        {hit.tool.id: min(hit.why.score, 1.0) for hit in discovery.hits} for _, discovery in searches
    ]
    overall = {hit.tool.id: min(hit.why.score, 1.0) for hit in whole.hits}
    return tuple(parts), tuple(
        ToolCandidate(by_id[id], overall.get(id, 0.0), tuple(score.get(id, 0.0) for score in scores))
        for id in sorted(by_id)
    )


def _clauses(step: str, find: Find) -> Sequence[str]:
    phrases = reversed(_REVERSED.split(step))
    parts = [part for phrase in phrases for part in _CLAUSE.split(phrase) if part.strip()]
    if len(parts) < 2:
        return [step]
    fitting = {part: discovery for part in parts if (discovery := find(part)).fits}
    tools = {discovery.hits[0].tool.id for discovery in fitting.values()}
    return list(fitting) if len(tools) > 1 else [step]
