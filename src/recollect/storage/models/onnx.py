"""An embedder on onnxruntime. Imported only when a model is installed and vectors are wanted."""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from recollect.errors import ModelError
from recollect.storage.models.deadline import all_within, within
from recollect.storage.models.embedder import groups
from recollect.storage.models.installed import InstalledModel
from recollect.storage.models.manifest import MODEL_FILE, TOKENIZER_FILE, install_command

# Otherwise its import stores a device id in the user's cache folder, and it sends its maker how it is used.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime

Arrays: TypeAlias = dict[str, NDArray[np.int64]]

LOAD_SECONDS = 60.0
TEXT_SECONDS = 30.0  # passages are short: a large model takes seconds for one on a slow machine


class OnnxEmbedder:
    """Text in, unit vector out. No batches, because int8 rows of a batch influence each other's vectors.

    Passages are read two at a time instead, each by itself, which changes no vector.

    Raises ModelError when the model cannot be loaded, fails on a text, or takes longer than its deadline for
    either. After a missed deadline every text fails at once.
    """

    def __init__(
        self, model: InstalledModel, threads: int = 2, text_seconds: float = TEXT_SECONDS
    ) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 4  # errors are reported below
        path = str(model.folder / MODEL_FILE)
        try:
            self._session = within(
                LOAD_SECONDS,
                lambda: onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]),
            )
            self._tokenizer = Tokenizer.from_file(str(model.folder / TOKENIZER_FILE))
            self._tokenizer.enable_truncation(model.reading.longest)
        except Exception as error:
            raise _unrunnable(model.name, error) from None
        self._inputs = {declared.name for declared in self._session.get_inputs()}
        self._tokenizer.no_padding()
        self._name, self._reading = model.name, model.reading
        self._text_seconds, self._late = text_seconds, ""
        self.version = model.version

    def query(self, text: str) -> NDArray[np.float32]:
        """The vector of a query."""
        [vector] = self._vectors([self._reading.query_prefix + text])
        return vector

    def passages(self, texts: Iterable[str]) -> Iterator[NDArray[np.float32]]:
        """The vectors of passages, in order."""
        for group in groups(texts):
            yield from self._vectors([self._reading.passage_prefix + text for text in group])

    def _vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        try:
            outputs = self._run([self._arrays(text) for text in texts])
        except Exception as error:  # such as a tokenizer that is not this model's
            raise _unrunnable(self._name, error) from None
        return [self._unit(np.asarray(output, dtype=np.float32)) for output in outputs]

    def _arrays(self, text: str) -> Arrays:
        encoded = self._tokenizer.encode(text.encode("utf-8", "replace").decode())
        ids = np.asarray([encoded.ids], dtype=np.int64)
        mask = np.ones_like(ids)
        arrays = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return {name: array for name, array in arrays.items() if name in self._inputs}

    def _unit(self, output: NDArray[np.float32]) -> NDArray[np.float32]:
        vector = output[0] if output.ndim == 2 else self._pooled(output[0])
        norm = float(np.linalg.norm(vector))
        return vector / norm if norm else vector

    def _run(self, texts: Sequence[Arrays]) -> list[NDArray[np.float32]]:
        """The model's output for each text, all at the same time."""
        if self._late:
            raise TimeoutError(self._late)
        options = onnxruntime.RunOptions()

        def output(arrays: Arrays) -> NDArray[np.float32]:
            outputs: list[NDArray[np.float32]] = self._session.run(None, arrays, options)
            return outputs[0]

        try:
            return all_within(self._text_seconds, [partial(output, arrays) for arrays in texts])
        except TimeoutError as error:
            options.terminate = True  # ends the abandoned thread at the model's next step
            self._late = str(error)
            raise

    def _pooled(self, tokens: NDArray[np.float32]) -> NDArray[np.float32]:
        pooled = tokens[0] if self._reading.pooling == "cls" else tokens.mean(axis=0)
        return np.asarray(pooled, dtype=np.float32)


def _unrunnable(name: str, error: Exception) -> ModelError:
    return ModelError(name, str(error), f"`{install_command(name)}` repairs it")
