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
from recollect.errors import ModelError
from recollect.storage.models.installed import ModelFolder
from recollect.upstreams import jsonrpc
from recollect.upstreams.jsonrpc import Json

if TYPE_CHECKING:
    from recollect.storage.models.embedder import Embedder

EMBED = "embed"


class ModelProcess:
    """A model and the requests for it."""

    def __init__(self, folder: Path, version: str) -> None:
        self._folder, self._version = folder, version

    @cached_property
    def _embedder(self) -> "Embedder":
        """The model. Raises ModelError when the folder has another version, or none."""
        model = ModelFolder(self._folder.parent).get(self._folder.name)
        if model is None or model.version != self._version:
            reason = "it was replaced or removed in the meantime"
            raise ModelError(self._folder.name, reason, "restart the process that uses it")
        return run_model(model)

    def answer(self, message: Json) -> Json:
        """The answer to a request. Raises ModelError after which the process is of no use."""
        match message.get("params"):
            case {"query": str(text)}:
                vectors = [self._embedder.query(text)]
            case {"passages": [*texts]} if all(isinstance(text, str) for text in texts):
                vectors = list(self._embedder.passages(texts))
            case _:
                return jsonrpc.error(message["id"], jsonrpc.INVALID_REQUEST, "no text to embed")
        packed = [base64.b64encode(vector.tobytes()).decode() for vector in vectors]
        return jsonrpc.result(message["id"], {"vectors": packed})


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
