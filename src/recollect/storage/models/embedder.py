"""The embedder port, and an embedder with a cache on disk."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.storage.sqlite.vector_cache import VectorCache

Floats = NDArray[np.float32]
_LENGTH_TOLERANCE = 1e-3  # a vector whose squared length is further from one is corrupt


class Embedder(Protocol):
    """Text in, unit vector out. `version` identifies the model's files and how they are used."""

    version: str

    def query(self, text: str) -> Floats:
        """The vector of a query."""
        ...

    def passages(self, texts: Sequence[str]) -> Iterator[Floats]:
        """The vectors of passages, in order."""
        ...


def vector_of(numbers: bytes) -> Floats:
    """The vector whose `tobytes` these are."""
    return np.frombuffer(numbers, dtype=np.float32)


class CachingEmbedder:
    """An embedder that embeds each passage once on this machine, whichever index asks for it.

    Switching branches or deleting an index then costs no embedding. The model is loaded when a new text
    arrives. A vector that cannot be cached (a full or read-only disk) is computed again.
    """

    def __init__(self, version: str, load: Callable[[], Embedder], folder: Path) -> None:
        self.version = version
        self._load = load
        self._model: Embedder | None = None
        self._cache = VectorCache(folder / f"{version}.db")

    @property
    def model(self) -> Embedder:
        """The model itself, loaded on first use."""
        if self._model is None:
            self._model = self._load()
        return self._model

    def query(self, text: str) -> Floats:
        return self.model.query(text)

    def passages(self, texts: Sequence[str]) -> Iterator[Floats]:
        for text in texts:
            key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
            cached = self._cached(key)
            yield self._embedded(key, text) if cached is None else cached

    def _cached(self, key: bytes) -> Floats | None:
        """The vector in the cache; None when there is none, or none of length one."""
        try:
            vector = vector_of(self._cache.get(key) or b"")
        except ValueError:
            return None
        return vector if abs(float(vector @ vector) - 1) < _LENGTH_TOLERANCE else None

    def _embedded(self, key: bytes, text: str) -> Floats:
        vector = next(iter(self.model.passages([text])))
        self._cache.put(key, vector.tobytes())
        return vector
