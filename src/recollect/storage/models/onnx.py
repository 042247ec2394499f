"""An embedder on onnxruntime. Imported only when a model is installed and vectors are wanted."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from recollect.storage.models.embedder import groups
from recollect.storage.models.installed import InstalledModel
from recollect.storage.models.onnx_session import Floats, OnnxSession, unrunnable, well_formed

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
        self._session = OnnxSession(model, threads)
        self._model, self._reading = model, model.reading
        self._text_seconds, self._late = text_seconds, ""
        self.version = model.version

    def query(self, text: str) -> Floats:
        """The vector of a query."""
        [vector] = self._vectors([self._reading.query_prefix + text])
        return vector

    def passages(self, texts: Iterable[str]) -> Iterator[Floats]:
        """The vectors of passages, in order."""
        for group in groups(texts):
            yield from self._vectors([self._reading.passage_prefix + text for text in group])

    def output_shape(self) -> tuple[int, ...]:
        """The shape of what the model says about one text."""
        return self._outputs(["a trial"])[0].shape

    def _vectors(self, texts: Sequence[str]) -> list[Floats]:
        return [self._unit(output) for output in self._outputs(texts)]

    def _outputs(self, texts: Sequence[str]) -> list[Floats]:
        """The model's output for each text, all at the same time."""
        if self._late:
            raise unrunnable(self._model, self._late)
        try:
            encoded = [self._session.tokenizer.encode(well_formed(text)) for text in texts]
            inputs = [self._session.arrays(text) for text in encoded]
            return self._session.outputs(inputs, self._text_seconds, at_once=True)
        except TimeoutError as error:
            self._late = str(error)
            raise unrunnable(self._model, error) from None
        except Exception as error:  # such as a tokenizer that is not this model's
            raise unrunnable(self._model, error) from None

    def _unit(self, output: Floats) -> Floats:
        vector = output[0] if output.ndim == 2 else self._pooled(output[0])
        norm = float(np.linalg.norm(vector))
        return vector / norm if norm else vector

    def _pooled(self, tokens: Floats) -> Floats:
        pooled = tokens[0] if self._reading.pooling == "cls" else tokens.mean(axis=0)
        return np.asarray(pooled, dtype=np.float32)
