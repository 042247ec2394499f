"""The reranker of a server: when it is asked, how long a request waits for it, and how it does.

Only what keeps running has one: a command would wait longer for the model to load than for its search.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from recollect.errors import ModelBusyError, ModelError
from recollect.retrieval.fusion import RERANKED
from recollect.retrieval.request import Request
from recollect.storage.models.installed import InstalledModel, runnable
from recollect.text.tokens import is_latin

if TYPE_CHECKING:
    from recollect.retrieval.reranking import Reranker
    from recollect.storage.models.cross_encoder import CrossEncoder

    RunReranker = Callable[[InstalledModel], CrossEncoder]

# Of the 50 ms that a prompt hook waits for a server, all but what the way there and back takes. The clock
# starts with the search: a reranker must not cost the prompt an answer that would have been in time.
PROMPT_SECONDS = 0.04
SEARCH_SECONDS = 0.05  # that a search waits for the reranker alone
LEAST_SECONDS = 0.005  # with less left it is not asked
MISSES = 3  # in a row, after which it rests: one second, then twice as long after each further miss
MOST_REST = 60.0  # seconds
UNLIMITED_SECONDS = 3600.0


@dataclass(slots=True)
class Reranking:
    """An installed reranker. It is loaded by the first request that asks it.

    One that is late or fails several times in a row is asked less and less often, so that a model that is too
    slow for this machine costs few requests their time. With `latin_only`, queries in other scripts are not
    reranked: a model of English knows nothing of them.
    """

    name: str
    load: "Callable[[], CrossEncoder]"
    prompt_seconds: float = PROMPT_SECONDS
    search_seconds: float = SEARCH_SECONDS
    latin_only: bool = False
    answered: int = 0
    missed: int = 0
    _misses: int = 0  # in a row
    _rests_until: float = 0.0
    _encoder: "CrossEncoder | None" = None

    def timed(self, request: Request) -> "Reranker | None":
        """The reranker for a request that starts now; None for one that is not reranked."""
        if request.offset >= RERANKED or (self.latin_only and not is_latin(request.text)):
            return None
        end = monotonic() + self.prompt_seconds if request.mode == "auto" else None
        return _TimedReranker(self, end)

    @property
    def state(self) -> str:
        """Its name, and how many requests it has answered in time."""
        requests = self.answered + self.missed
        in_time = f", in time for {self.answered} of {requests} requests"
        return self.name + (in_time if requests else "")

    def scores(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:
        """As `CrossEncoder.scores`; raises ModelError while it rests."""
        if monotonic() < self._rests_until:
            self.missed += 1
            reason = f"{self._misses} answers in a row were late or failed"
            advice = "it is asked again within a minute, and a smaller one may be in time"
            raise ModelError(self.name, reason, advice)
        try:
            self._encoder = self._encoder or self.load()
            scores = self._encoder.scores(query, texts, seconds)
        except ModelError:
            self._note_miss()
            raise
        self.answered, self._misses = self.answered + 1, 0
        return scores

    def _note_miss(self) -> None:
        self.missed, self._misses = self.missed + 1, self._misses + 1
        if self._misses >= MISSES:
            self._rests_until = monotonic() + min(2.0 ** (self._misses - MISSES), MOST_REST)


@dataclass(frozen=True, slots=True)
class _TimedReranker:
    """A reranker for one request, which must have its answer at `end`, or within its own time if None."""

    reranking: Reranking
    end: float | None

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        if self.end is None:
            return self.reranking.scores(query, texts, self.reranking.search_seconds)
        left = self.end - monotonic()
        if left < LEAST_SECONDS:  # the rest of the search took the time
            self.reranking.missed += 1
            raise ModelBusyError(self.reranking.name, self.reranking.prompt_seconds)
        return self.reranking.scores(query, texts, left)


def reranking_of(
    model: InstalledModel | None, run: "RunReranker | None", patience: float = 1.0
) -> Reranking | None:
    """The reranker of a server, loaded in the background.

    None without an installed one, without the packages that run it, and for a command, which runs none.
    """
    if model is None or run is None or not runnable():
        return None

    def load() -> "CrossEncoder":
        from recollect.app.bounded_model import BoundedCrossEncoder  # noqa: PLC0415

        return BoundedCrossEncoder(model.name, lambda: run(model))

    return Reranking(
        model.name, load, PROMPT_SECONDS * patience, SEARCH_SECONDS * patience, model.is_latin_only
    )


def unlimited_reranking(model: InstalledModel) -> Reranking:
    """A reranker that may take its time, to measure what it is worth. It is loaded into this process."""
    return Reranking(
        model.name,
        lambda: run_reranker(model),
        UNLIMITED_SECONDS,
        UNLIMITED_SECONDS,
        model.is_latin_only,
    )


def run_reranker(model: InstalledModel) -> "CrossEncoder":
    """Load a reranker into this process. Raises ModelError."""
    from recollect.storage.models.cross_encoder import OnnxCrossEncoder  # noqa: PLC0415 - half a second

    model.check_current()
    return OnnxCrossEncoder(model)
