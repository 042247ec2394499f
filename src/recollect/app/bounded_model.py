"""A model for requests that wait a moment only: it is loaded and run in a thread of its own."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from recollect.errors import ModelBusyError

if TYPE_CHECKING:
    from recollect.app.finder import RunModel
    from recollect.app.reranking import RunReranker
    from recollect.storage.models.cross_encoder import CrossEncoder
    from recollect.storage.models.embedder import Embedder, Floats

ANSWER_SECONDS = 0.1  # a query takes a fifth of it; a search may take 0.15 s in all

_T = TypeVar("_T")
_Model = TypeVar("_Model")


@dataclass(frozen=True, slots=True)
class BackgroundRun:
    """How a server runs its models in the background, and how long a request waits for the embedder.

    `patience` multiplies the limits of the reranker, which `rerank` runs.
    """

    run: "RunModel"
    answer_seconds: float = ANSWER_SECONDS
    rerank: "RunReranker | None" = None
    patience: float = 1.0


class ModelThread(Generic[_Model]):
    """A thread that loads a model for the first work and then does one work after the other.

    Any thread may ask.
    """

    def __init__(self, name: str, load: Callable[[], _Model]) -> None:
        self._name, self._load = name, load
        self._work: SimpleQueue[tuple[Future[Any], Callable[[_Model], Any]]] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._late: Future[Any] | None = None  # what took too long; if it failed, the next one says why
        self._starting = threading.Lock()

    def ask(self, work: Callable[[_Model], _T], seconds: float) -> _T:
        """The result of `work`. Raises ModelBusyError after `seconds`."""
        self._start()
        if (error := self._late_failure()) is not None:
            raise error
        answer: Future[_T] = Future()
        self._work.put((answer, work))
        try:
            return answer.result(seconds)
        except TimeoutError:
            answer.cancel()  # unless it is under way: then it goes on
            self._late = answer
            raise ModelBusyError(self._name, seconds) from None

    def _late_failure(self) -> BaseException | None:
        """Why the work that took too long failed in the end; that it took too long was said already."""
        late, self._late = self._late, None
        error = late.exception() if late and late.done() and not late.cancelled() else None
        return None if isinstance(error, ModelBusyError) else error

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="model", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        model: _Model | None = None
        while True:
            answer, work = self._work.get()
            if not answer.set_running_or_notify_cancel():
                continue
            try:
                model = model or self._load()
                answer.set_result(work(model))
            except Exception as error:
                answer.set_exception(error)


class BoundedEmbedder:
    """An embedder that answers within `seconds`, or raises ModelBusyError and goes on in its thread.

    What it was too late for is in the cache of `load`'s embedder when it is asked again, so that even a slow
    machine gets ahead.
    """

    def __init__(
        self, name: str, version: str, load: "Callable[[], Embedder]", seconds: float = ANSWER_SECONDS
    ) -> None:
        self.version = version
        self._seconds = seconds
        self._thread = ModelThread(name, load)

    def query(self, text: str) -> "Floats":
        return self._thread.ask(lambda model: model.query(text), self._seconds)

    def passages(self, texts: Sequence[str]) -> "Iterator[Floats]":
        from recollect.storage.models.embedder import groups  # noqa: PLC0415 - numpy costs 100 ms

        for group in groups(texts):
            yield from self._thread.ask(
                lambda model, group=group: list(model.passages(group)),  # type: ignore[misc]
                self._seconds,
            )


class BoundedCrossEncoder:
    """A cross-encoder that is loaded in the background: until it is there, it is busy."""

    def __init__(self, name: str, load: "Callable[[], CrossEncoder]") -> None:
        self._thread = ModelThread(name, load)

    def scores(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:
        return self._thread.ask(lambda model: model.scores(query, texts, seconds), seconds)
