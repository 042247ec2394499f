"""Models that all clients of a user share: the broker runs each once, whatever the number of clients."""

import base64
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.app.finder import run_model
from recollect.app.model_process import EMBED, RERANK
from recollect.app.reranking import run_reranker
from recollect.errors import ModelBusyError, ModelError, RecollectError
from recollect.interpreter import python
from recollect.storage.models.installed import InstalledModel
from recollect.storage.private import make_folder
from recollect.upstreams import jsonrpc
from recollect.upstreams.broker_client import open_lease
from recollect.upstreams.jsonrpc import Json
from recollect.upstreams.lease_request import LeaseRequest
from recollect.upstreams.lines import LineBuffer

if TYPE_CHECKING:
    from recollect.storage.models.cross_encoder import CrossEncoder
    from recollect.storage.models.embedder import Embedder, Floats

_NAME = "_model"  # no server's name begins with `_`
_START_SECONDS = 90.0  # to load a model; its own deadline is shorter, and says more
_ANSWER_SECONDS = 150.0
_IDLE_SECONDS = 1800.0
_CHUNK = 65_536
_ATTEMPTS = 2  # the process or the broker may have ended since the last text
_ADVICE = f"its output is in gateway-logs/{_NAME}.log in the user's data folder"


class SharedModels:
    """Runs models in the broker of a folder; here, where no broker runs and none `may_start`."""

    def __init__(self, broker: Path, may_start: Callable[[], bool]) -> None:
        self._broker, self._may_start = broker, may_start
        self._processes: dict[str, _ModelProcess] = {}
        self._embedders: dict[str, _SharedEmbedder] = {}
        self._lock = threading.Lock()

    def run(self, model: InstalledModel) -> "Embedder":
        """The embedder, one for each version."""
        with self._lock:
            if model.version not in self._embedders:
                self._embedders[model.version] = _SharedEmbedder(model, self._process(model))
            return self._embedders[model.version]

    def rerank(self, model: InstalledModel) -> "CrossEncoder":
        """The reranker."""
        with self._lock:
            return _SharedCrossEncoder(model, self._process(model))

    def close(self) -> None:
        """Let go of the broker, which ends when nobody needs it."""
        for process in self._processes.values():
            process.hang_up()

    def _process(self, model: InstalledModel) -> "_ModelProcess":
        return self._processes.setdefault(model.version, _ModelProcess(model, self._lease))

    def _lease(self, model: InstalledModel) -> socket.socket:
        """A connection to the process that runs the model. Raises OSError without a broker."""
        logs = self._broker / "gateway-logs"
        make_folder(logs)
        command, *arguments = python(
            "-m", "recollect.app.model_process", str(model.folder), model.version
        )
        request = LeaseRequest(
            name=_NAME,
            command=command,
            arguments=tuple(arguments),
            env=(),
            folder=str(model.folder),
            roots=(),
            log=str(logs / f"{_NAME}.log"),
            start_seconds=_START_SECONDS,
            idle_seconds=_IDLE_SECONDS,
            max_calls=1,
        )
        return open_lease(self._broker, request, may_start=self._may_start_broker())

    def _may_start_broker(self) -> bool:
        try:
            return self._may_start()
        except RecollectError:
            return False


class _ModelProcess:
    """The process of a model, as a client of the broker sees it. One request at a time."""

    def __init__(self, model: InstalledModel, lease: Callable[[InstalledModel], socket.socket]) -> None:
        self._model, self._lease = model, lease
        self._line: socket.socket | None = None
        self._numbers = count(1)

    def ask(self, method: str, params: Json) -> Json | None:
        """The result; None where no broker answers.

        Raises ModelError when the model fails, and ModelBusyError when it gave up because time was over.
        """
        failure: ModelError | None = None
        for _ in range(_ATTEMPTS):
            try:
                answer = self._exchange(jsonrpc.request(next(self._numbers), method, params))
            except OSError:
                self.hang_up()
                continue
            match answer:
                case {"result": dict(result)}:
                    return result
                case {"error": {"code": jsonrpc.CONNECTION_CLOSED, "data": {"reason": str(reason)}}}:
                    failure = ModelError(self._model.name, f"its process {reason}", _ADVICE)
                case _:
                    raise _failure(self._model.name, answer.get("error"), params)
        if failure is not None:
            raise failure
        return None

    def _exchange(self, request: Json) -> Json:
        if self._line is None:
            self._line = self._lease(self._model)
            self._line.settimeout(_ANSWER_SECONDS)
        self._line.sendall(jsonrpc.written(request))
        buffer = LineBuffer()
        while chunk := self._line.recv(_CHUNK):
            for line in buffer.lines(chunk):
                message = jsonrpc.parse(line)
                if message.get("id") == request["id"]:
                    return message
        raise ConnectionResetError("the broker has ended")

    def hang_up(self) -> None:
        """Let go of the process; the next text leases it again."""
        if self._line is not None:
            with suppress(OSError):
                self._line.close()
            self._line = None


class _SharedEmbedder:
    """An embedder whose model runs in another process. Any thread may use it, one at a time."""

    def __init__(self, model: InstalledModel, process: _ModelProcess) -> None:
        self.version = model.version
        self._model, self._process = model, process
        self._local: Embedder | None = None
        self._lock = threading.Lock()

    def query(self, text: str) -> "Floats":
        with self._lock:
            vectors = self._vectors({"query": _safe(text)})
            return self._here.query(text) if vectors is None else vectors[0]

    def passages(self, texts: Sequence[str]) -> "Iterator[Floats]":
        from recollect.storage.models.embedder import groups  # noqa: PLC0415 - numpy costs 100 ms

        for group in groups(texts):
            with self._lock:
                vectors = self._vectors({"passages": [_safe(text) for text in group]})
                read = list(self._here.passages(group)) if vectors is None else vectors
            yield from read

    @property
    def _here(self) -> "Embedder":
        if self._local is None:
            self._local = run_model(self._model)
        return self._local

    def _vectors(self, texts: Json) -> "list[Floats] | None":
        """The vectors of texts; None where no broker answers. Raises ModelError when the model fails."""
        from recollect.storage.models.embedder import vector_of  # noqa: PLC0415 - numpy costs 100 ms

        result = self._process.ask(EMBED, texts) if self._local is None else None
        if result is None:
            return None
        return [vector_of(base64.b64decode(vector)) for vector in result["vectors"]]


class _SharedCrossEncoder:
    """A cross-encoder that runs in another process. Any thread may use it, one at a time."""

    def __init__(self, model: InstalledModel, process: _ModelProcess) -> None:
        self._model, self._process = model, process
        self._local: CrossEncoder | None = None
        self._lock = threading.Lock()

    def scores(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:
        pairs = {
            "query": _safe(query),
            "texts": [_safe(text) for text in texts],
            "seconds": float(seconds),
        }
        with self._lock:
            result = self._process.ask(RERANK, pairs) if self._local is None else None
            if result is not None:
                return [float(score) for score in result["scores"]]
            self._local = self._local or run_reranker(self._model)
            return self._local.scores(query, texts, seconds)


def _safe(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _failure(name: str, error: object, params: Json) -> ModelError:
    """What the process said about the model."""
    match error:
        case {"data": {"busy": True}}:
            return ModelBusyError(name, params.get("seconds", 0.0))
        case {"data": {"reason": str(reason), "advice": str(advice)}}:
            return ModelError(name, reason, advice)
    return ModelError(name, f"its process answered {error!r:.200}", _ADVICE)
