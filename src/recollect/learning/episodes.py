"""Episodes: what was wanted, what was planned for it, and how that went. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from recollect.learning.trace import context_digest
from recollect.learning.weights import EPISODE_SIMILAR
from recollect.workflow.run_state import RunState, RunStatus

_LONGEST = 300  # signs of an intent and of an error


@dataclass(frozen=True, slots=True)
class Episode:
    """A run that ended. `context` is a digest of what it was for; `planned` are its tools in their order.

    `failed_at` is the tool of the first task that failed, and `error` what it said; empty without one.
    """

    context: str
    at: str
    intent: str
    planned: tuple[str, ...]
    outcome: RunStatus
    failed_at: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class EarlierEpisode:
    """An episode that was found again, and whether it was for the same request."""

    episode: Episode
    is_same: bool


def episode_of(state: RunState, at: str, redact: Callable[[str], str]) -> Episode | None:
    """What is stored of a run that ended; None for one that does not say what it is for."""
    intent = state.workflow.intent.strip()
    if not intent or not state.has_ended:
        return None
    runs = [run for run in state.tasks.values() if run.task.item is None and run.task.origin is None]
    failed = next((run for run in runs if run.status == "failed"), None)
    return Episode(
        context_digest(intent),
        at,
        redact(intent)[:_LONGEST],
        tuple(dict.fromkeys(run.task.tool for run in runs)),
        state.status,
        failed.task.tool if failed else "",
        redact(failed.error)[:_LONGEST] if failed else "",
    )


def similar(episodes: Sequence[Episode], cosines: Mapping[str, float | None]) -> EarlierEpisode | None:
    """The episode whose intent is nearest, if near enough. `cosines` are by intent; equal ones: the first."""
    best = max(episodes, key=lambda each: cosines.get(each.intent) or 0.0, default=None)
    if best is None or (cosines.get(best.intent) or 0.0) < EPISODE_SIMILAR:
        return None
    return EarlierEpisode(best, is_same=False)
