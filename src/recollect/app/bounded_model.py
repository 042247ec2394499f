"""A model for requests that wait a moment only: it is loaded and run in a thread of its own."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.errors import ModelBusyError

if TYPE_CHECKING:
    from recollect.app.finder import RunModel
    from recollect.storage.models.embedder import Embedder, Floats

ANSWER_SECONDS = 0.1  # a query takes a fifth of it; a search may take 0.15 s in all

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class BackgroundRun:
    """How a server runs its model in the background, and how long a request waits for it."""

    run: "RunModel"
    answer_seconds: float = ANSWER_SECONDS


class BoundedEmbedder:
    """An embedder that answers within `seconds`, or raises ModelBusyError and goes on in its thread.

    The first text makes it load the model. What it was too late for is in the cache of `load`'s embedder when
    it is asked again, so that even a slow machine gets ahead. Any thread may use it.
    """

    def __init__(
        self, name: str, version: str, load: "Callable[[], Embedder]", seconds: float = ANSWER_SECONDS
    ) -> None:
        self.version = version
        self._name, self._load, self._seconds = name, load, seconds
        self._work: SimpleQueue[tuple[Future[Any], Callable[[Embedder], Any]]] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._late: Future[Any] | None = None  # what took too long; if it failed, the next one says why
        self._starting = threading.Lock()

    def query(self, text: str) -> "Floats":
        return self._ask(lambda model: model.query(text))

    def passages(self, texts: Sequence[str]) -> "Iterator[Floats]":
        from recollect.storage.models.embedder import groups  # noqa: PLC0415 - numpy costs 100 ms

        for group in groups(texts):
            yield from self._ask(lambda model, group=group: list(model.passages(group)))  # type: ignore[misc]

    def _ask(self, work: "Callable[[Embedder], _T]") -> _T:
        self._start()
        late, self._late = self._late, None
        if late is not None and late.done() and not late.cancelled() and (error := late.exception()):
            raise error
        answer: Future[_T] = Future()
        self._work.put((answer, work))
        try:
            return answer.result(self._seconds)
        except TimeoutError:
            answer.cancel()  # unless it is under way: then it goes on, for the cache
            self._late = answer
            raise ModelBusyError(self._name, self._seconds) from None

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="model", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        model: Embedder | None = None
        while True:
            answer, work = self._work.get()
            if not answer.set_running_or_notify_cancel():
                continue
            try:
                model = model or self._load()
                answer.set_result(work(model))
            except Exception as error:
                answer.set_exception(error)
