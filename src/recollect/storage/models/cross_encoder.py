"""A cross-encoder on onnxruntime: a pair of texts in, one number out. Imported only when one is used."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from recollect.errors import ModelBusyError
from recollect.storage.models.installed import InstalledModel
from recollect.storage.models.onnx_session import Floats, OnnxSession, unrunnable, well_formed

TRIAL_SECONDS = 30.0  # for one pair at installation, on a slow machine


class CrossEncoder(Protocol):
    """A reranker that is told how long it may take."""

    def scores(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:
        """A finite number for each text, higher is better.

        Raises ModelBusyError when they are not there after `seconds`, ModelError when the model fails.
        """
        ...


class OnnxCrossEncoder:
    """Reads pairs one by one: no pair's number depends on the others, as int8 rows of a batch do.

    A batch takes as long on few cores (docs/measurements/reranking.md). The longer text of a pair is cut to
    what the model reads. What is not done in time is stopped, and the next query begins anew.
    """

    def __init__(self, model: InstalledModel, threads: int = 2) -> None:
        self._session = OnnxSession(model, threads)
        self._model = model

    def scores(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:
        """A number for each text. Raises ModelBusyError after `seconds`, ModelError when the model fails."""
        try:
            outputs = self._outputs(query, texts, seconds)
            rows = [output.reshape(-1) for output in outputs]
        except TimeoutError:
            raise ModelBusyError(self._model.name, seconds) from None
        except Exception as error:  # such as a tokenizer that is not this model's
            raise unrunnable(self._model, error) from None
        if any(row.shape != (1,) or not np.isfinite(row[0]) for row in rows):
            raise unrunnable(self._model, "it does not give one finite number for a pair of texts")
        return [float(row[0]) for row in rows]

    def output_shape(self) -> tuple[int, ...]:
        """The shape of what the model says about one pair. Raises ModelError when it fails."""
        try:
            [output] = self._outputs("a trial", ["of a pair"], TRIAL_SECONDS)
        except Exception as error:
            raise unrunnable(self._model, error) from None
        return output.shape

    def _outputs(self, query: str, texts: Sequence[str], seconds: float) -> list[Floats]:
        pairs = [(well_formed(query), well_formed(text)) for text in texts]
        inputs = [self._session.arrays(self._session.tokenizer.encode(*pair)) for pair in pairs]
        return self._session.outputs(inputs, seconds, at_once=False)
