"""An opened model: its graph in onnxruntime, and its tokenizer. Embedders and rerankers run on it."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from recollect.errors import ModelError
from recollect.storage.models.deadline import all_within, within
from recollect.storage.models.installed import InstalledModel
from recollect.storage.models.manifest import MODEL_FILE, TOKENIZER_FILE, install_command

# Otherwise its import stores a device id in the user's cache folder, and it sends its maker how it is used.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime

Arrays: TypeAlias = dict[str, NDArray[np.int64]]
Floats: TypeAlias = NDArray[np.float32]

LOAD_SECONDS = 60.0


class OnnxSession:
    """An opened model. Raises ModelError when it cannot be loaded within its deadline."""

    def __init__(self, model: InstalledModel, threads: int = 2) -> None:
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
            self.tokenizer = Tokenizer.from_file(str(model.folder / TOKENIZER_FILE))
            self.tokenizer.enable_truncation(model.reading.longest)
        except Exception as error:
            raise unrunnable(model, error) from None
        self._inputs = {declared.name for declared in self._session.get_inputs()}
        self.tokenizer.no_padding()

    def arrays(self, encoded: Encoding) -> Arrays:
        """A text or a pair as the model takes it, by itself."""
        ids = np.asarray([encoded.ids], dtype=np.int64)
        types = np.asarray([encoded.type_ids], dtype=np.int64)
        arrays = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
        return {name: array for name, array in arrays.items() if name in self._inputs}

    def outputs(self, inputs: Sequence[Arrays], seconds: float, *, at_once: bool) -> list[Floats]:
        """The first output for each input. Raises TimeoutError when they are not all there in time.

        `at_once` runs all at the same time; otherwise one after the other.
        """
        options = onnxruntime.RunOptions()

        def output(arrays: Arrays) -> Floats:
            outputs: list[Floats] = self._session.run(None, arrays, options)
            return np.asarray(outputs[0], dtype=np.float32)

        works: list[Callable[[], list[Floats]]]
        if at_once:
            works = [partial(lambda arrays: [output(arrays)], arrays) for arrays in inputs]
        else:
            works = [lambda: [output(arrays) for arrays in inputs]]
        try:
            return [row for rows in all_within(seconds, works) for row in rows]
        except TimeoutError:
            options.terminate = True  # ends the abandoned threads at the model's next step
            raise


def well_formed(text: str) -> str:
    """The text without halves of surrogate pairs, which tokenizers refuse."""
    return text.encode("utf-8", "replace").decode()


def unrunnable(model: InstalledModel, error: Exception | str) -> ModelError:
    """The error of a model that cannot be run, and how it is repaired."""
    advice = f"`{install_command(model.name, model.role)}` repairs it"
    return ModelError(model.name, str(error), advice)
