"""The vectors of tools: a few rows for each in memory, compared exactly."""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from recollect.gateway import weights
from recollect.gateway.tool import ToolTexts
from recollect.storage.models.embedder import Embedder, Floats


class ToolVectors:
    """The vectors of some tools, in their order. `embed` may run in one thread and `cosines` in another."""

    def __init__(
        self, embedder: Embedder, tools: Sequence[ToolTexts], known: Mapping[str, Floats] | None = None
    ) -> None:
        """`known` has the vectors of texts that were embedded before."""
        self.embedder = embedder
        self._texts = [(tool.everything, tool.description, tool.name) for tool in tools]
        self._arrange(known or {})

    def _arrange(self, known: Mapping[str, Floats]) -> None:
        texts = set(chain.from_iterable(self._texts))
        vectors = {text: vector for text, vector in known.items() if text in texts}
        numbers = [
            number
            for number, of_tool in enumerate(self._texts)
            if all(text in vectors for text in of_tool)
        ]
        rows = [vectors[text] for number in numbers for text in self._texts[number]]
        # One assignment, because another thread may read.
        self._embedded = vectors, numbers, np.stack(rows) if rows else None

    @property
    def known(self) -> Mapping[str, Floats]:
        """The vectors by their texts."""
        return self._embedded[0]

    @property
    def missing(self) -> int:
        """How many tools have no vectors yet."""
        return len(self._texts) - len(self._embedded[1])

    def embed(self) -> None:
        """Embed the tools that have no vectors yet. Raises ModelError."""
        new = [
            text for text in dict.fromkeys(chain.from_iterable(self._texts)) if text not in self.known
        ]
        self._arrange({**self.known, **dict(zip(new, self.embedder.passages(new), strict=True))})

    def cosines(self, text: str) -> list[float | None]:
        """How near a request is to each tool: to the nearest of its texts, and a little to its name.

        None for a tool that has no vectors yet. Raises ModelError.
        """
        _, numbers, rows = self._embedded
        cosines: list[float | None] = [None] * len(self._texts)
        if rows is not None:
            by_text = (rows @ self.embedder.query(text)).reshape(len(numbers), -1)
            share = weights.NAME_MEANING
            combined = (1 - share) * by_text.max(axis=1) + share * by_text[:, -1]
            for number, cosine in zip(numbers, combined.tolist(), strict=True):
                cosines[number] = cosine
        return cosines
