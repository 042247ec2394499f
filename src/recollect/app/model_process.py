"""The process that runs a model for all clients of a user, as the broker starts it.

Run as `python -m recollect.app.model_process FOLDER VERSION`. Requests come on standard input, one for each
line, and are answered in their order on standard output. The model is loaded for the first one.
"""

import base64
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.app.finder import run_model
from recollect.app.reranking import run_reranker
from recollect.errors import ModelBusyError, ModelError
from recollect.storage.models.installed import InstalledModel, ModelFolder
from recollect.storage.models.manifest import Role
from recollect.upstreams import jsonrpc
from recollect.upstreams.jsonrpc import Json

if TYPE_CHECKING:
    from recollect.storage.models.cross_encoder import CrossEncoder
    from recollect.storage.models.embedder import Embedder

EMBED = "embed"
RERANK = "rerank"


class ModelProcess:
    """A model and the requests for it."""

    def __init__(self, folder: Path, version: str) -> None:
        self._folder, self._version = folder, version

    @cached_property
    def _embedder(self) -> "Embedder":
        return run_model(self._installed("embedder"))

    @cached_property
    def _reranker(self) -> "CrossEncoder":
        return run_reranker(self._installed("reranker"))

    def _installed(self, role: Role) -> InstalledModel:
        """The model. Raises ModelError when the folder has another version, or none."""
        model = ModelFolder(self._folder.parent).get(self._folder.name, role)
        if model is None or model.version != self._version:
            reason = "it was replaced or removed in the meantime"
            raise ModelError(self._folder.name, reason, "restart the process that uses it")
        return model

    def answer(self, message: Json) -> Json:
        """The answer to a request. Raises ModelError after which the process is of no use."""
        match message.get("params"):
            case {"query": str(query), "texts": [*texts], "seconds": float(seconds)} if _are_texts(
                texts
            ):
                try:
                    scores = self._reranker.scores(query, texts, seconds)
                except ModelBusyError as error:
                    data: Json = {"busy": True}
                    return jsonrpc.error(message["id"], jsonrpc.INVALID_REQUEST, str(error), data)
                return jsonrpc.result(message["id"], {"scores": scores})
            case {"query": str(text)}:
                vectors = [self._embedder.query(text)]
            case {"passages": [*texts]} if _are_texts(texts):
                vectors = list(self._embedder.passages(texts))
            case _:
                return jsonrpc.error(message["id"], jsonrpc.INVALID_REQUEST, "no text to read")
        packed = [base64.b64encode(vector.tobytes()).decode() for vector in vectors]
        return jsonrpc.result(message["id"], {"vectors": packed})


def _are_texts(values: list[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def main(folder: Path, version: str) -> int:
    """Answer requests until standard input ends, or the model fails: the next process may do better."""
    process = ModelProcess(folder, version)
    for line in sys.stdin.buffer:
        message = jsonrpc.parse(line)
        if jsonrpc.kind_of(message) != "request":
            continue
        try:
            answer, code = process.answer(message), 0
        except ModelError as error:
            data: Json = {"name": error.name, "reason": error.reason, "advice": error.advice}
            answer, code = jsonrpc.error(message["id"], jsonrpc.INVALID_REQUEST, str(error), data), 1
        sys.stdout.buffer.write(jsonrpc.written(answer))
        sys.stdout.buffer.flush()
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
