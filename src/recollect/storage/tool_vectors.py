"""The vectors of tools: one row for each in memory, compared exactly."""

from collections.abc import Sequence

import numpy as np

from recollect.storage.models.embedder import Embedder, Floats


class ToolVectors:
    """The vectors of some texts, in their order."""

    def __init__(self, embedder: Embedder, texts: Sequence[str]) -> None:
        self._embedder = embedder
        rows = list(embedder.passages(texts))
        self._rows: Floats = np.stack(rows) if rows else np.zeros((0, 1), dtype=np.float32)

    def cosines(self, text: str) -> Sequence[float]:
        """The cosine of a request with each text."""
        if not len(self._rows):
            return []
        return [float(cosine) for cosine in self._rows @ self._embedder.query(text)]
